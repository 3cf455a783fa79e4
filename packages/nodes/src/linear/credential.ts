import {
  apiKey,
  type CredentialType,
  excluded,
  maskFirst,
  readConfigText,
} from '@millrace/engine/credential';

interface GraphqlAnswer {
  readonly errors?: readonly {
    readonly message?: unknown;
    readonly extensions?: { readonly userPresentableMessage?: unknown };
  }[];
}

/** GraphQL reports errors inside a good answer; the words meant for people come before the technical ones. */
function problem(answer: unknown): string | undefined {
  const [first] = (answer as GraphqlAnswer | null)?.errors ?? [];
  if (first === undefined) return undefined;
  const words = [first.extensions?.userPresentableMessage, first.message].find(
    (one) => typeof one === 'string',
  );
  return typeof words === 'string' ? words : 'The service reported an error without a message';
}

export const linearCredential: CredentialType = {
  type: 'linear',
  title: 'Linear issue tracker',
  group: 'developer',
  fields: [apiKey],
  masked: maskFirst('api_key'),
  expression: excluded,
  keeps_blank: true,
  connect: (config) => ({
    base_url: 'https://api.linear.app',
    headers: { authorization: readConfigText(config, 'api_key') },
  }),
  test: { method: 'POST', path: '/graphql', body: { query: '{ viewer { id } }' } },
  problem,
};
