import type { SourceNode } from '../../source/source.ts';
import type { Target } from '../kind.ts';
import { quoted, withoutQuotes } from './shell.ts';

/** An option of the command by what the credential is here. */
const OPTIONS = {
  bearer: (reference: string) => `-H ${quoted(`Authorization: Bearer ${reference}`)}`,
  header: (reference: string) => `-H ${quoted(reference)}`,
  basic: (reference: string) => `-u ${quoted(reference)}`,
};

interface Known {
  readonly option: keyof typeof OPTIONS;
  /** Title of the type of credential here. */
  readonly title: string;
}
const BEARER: Known = { option: 'bearer', title: 'Bearer token' };

/** Types of n8n that any request can sign in with; undefined: in a way that commands have no option for. */
const GENERIC: Readonly<Record<string, Known | undefined>> = {
  httpBasicAuth: { option: 'basic', title: 'User name and password' },
  httpHeaderAuth: { option: 'header', title: 'Header' },
  httpBearerAuth: BEARER,
  oAuth2Api: { option: 'bearer', title: 'OAuth 2 sign-in' },
  httpQueryAuth: undefined,
  httpDigestAuth: undefined,
  httpCustomAuth: undefined,
  oAuth1Api: undefined,
};
const FIELD = 'curl';

/**
 * Options with which the command signs in as the node does, by the name of its credential. A credential of one service counts
 * as a bearer token, which most of them are.
 */
export function signInOptions({ credentials }: SourceNode, to: Target): string[] {
  const { params } = to;
  const authentication = params.text('authentication', 'none');
  for (const key of ['genericAuthType', 'nodeCredentialType']) params.get(key);
  if (authentication === 'none') return [];
  const [used] = credentials;
  const known = used && (Object.hasOwn(GENERIC, used.type) ? GENERIC[used.type] : BEARER);
  if (used === undefined || used.name === '' || known === undefined) {
    to.say('Add the sign-in to the command, such as -H "Authorization: Bearer $credentials.name"', FIELD);
    return [];
  }
  to.say(
    `It signs in with the credential "${used.name}"; add one of the type "${known.title}" with this name`,
    FIELD,
  );
  return [OPTIONS[known.option](withoutQuotes(`$credentials[${JSON.stringify(used.name)}]`))];
}
