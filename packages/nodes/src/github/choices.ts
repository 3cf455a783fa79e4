import { isJsonObject, type Json, readText, readTextAt } from '@millrace/engine';
import type { ChoiceContext, ChoiceRequest } from '../implement.ts';
import { buildConnection, callJson, type JsonRequest, path } from '../kit/integration/call-json.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { fetchList, type Listing, READ, TITLE, versioned } from './calls/connection.ts';
import { githubCredential } from './credential.ts';

const MOST = 1_000;

/** Lists that the fields of the form offer. */
export const githubChoices = { owners, repositories, branches, workflows };

function asked({ caller, config }: ChoiceContext) {
  const connection = buildConnection(TITLE, githubCredential, config);
  const ask = (request: JsonRequest) => callJson(caller, connection, versioned(request));
  return {
    ask,
    list: (address: string, listing: Listing = {}) =>
      fetchList({ connection, ask }, address, { ...listing, most: MOST }),
  };
}

/** The person behind the token and their organizations. */
async function owners(context: ChoiceContext, request: ChoiceRequest) {
  const { ask, list } = asked(context);
  const { body: user } = await ask({ path: '/user', ...READ });
  return choicesFrom([user, ...(await list('/user/orgs'))], request, (owner) =>
    isJsonObject(owner) ? { value: owner['login'] } : {},
  );
}

const isOwnedBy = (owner: string) => (repository: Json) => {
  const of = isJsonObject(repository) ? repository['owner'] : undefined;
  const login = readTextAt(of, 'login');
  return owner === '' || login.toLowerCase() === owner.toLowerCase();
};

/** Those that the token may change; of an owner without any, the public ones. */
async function repositories(context: ChoiceContext, request: ChoiceRequest) {
  const { list } = asked(context);
  const owner = (request.params['githubOwner'] ?? '').trim();
  const own = await list('/user/repos', { query: { sort: 'full_name' }, keeps: isOwnedBy(owner) });
  const found = own.length > 0 || owner === '' ? own : await list(path`/users/${owner}/repos`);
  return choicesFrom(found, request, (repository) =>
    isJsonObject(repository)
      ? {
          value: repository['name'],
          label: owner === '' ? repository['full_name'] : repository['name'],
          hint: repository['private'] === true ? 'private' : '',
        }
      : {},
  );
}

const repositoryIn = ({ params }: ChoiceRequest): string =>
  path`/repos/${params['githubOwner'] ?? ''}/${params['githubRepo'] ?? ''}`;

async function branches(context: ChoiceContext, request: ChoiceRequest) {
  const found = await asked(context).list(`${repositoryIn(request)}/branches`);
  return choicesFrom(found, request, (branch) => (isJsonObject(branch) ? { value: branch['name'] } : {}));
}

async function workflows(context: ChoiceContext, request: ChoiceRequest) {
  const address = `${repositoryIn(request)}/actions/workflows`;
  const found = await asked(context).list(address, { key: 'workflows' });
  return choicesFrom(found, request, (workflow) => {
    if (!isJsonObject(workflow)) return {};
    const { id, name, path: file } = workflow;
    return { value: id, label: name, hint: readText(file) };
  });
}
