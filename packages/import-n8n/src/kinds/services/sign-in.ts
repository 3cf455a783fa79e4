import type { SourceNode } from '../../source/source.ts';
import type { Target } from '../kind.ts';
import { quote, withoutQuotes } from './shell.ts';

const writeAuthorization = (written: string): string => `-H ${quote(`Authorization: ${written}`)}`;

/** An option of the command by how it sends the credential. */
const OPTIONS = {
  bearer: (reference: string) => writeAuthorization(`Bearer ${reference}`),
  token: (reference: string) => writeAuthorization(`token ${reference}`),
  raw: (reference: string) => writeAuthorization(reference),
  header: (reference: string) => `-H ${quote(reference)}`,
  basic: (reference: string) => `-u ${quote(reference)}`,
};

interface Known {
  readonly option: keyof typeof OPTIONS;
  /** Title of the type of credential here. */
  readonly title: string;
}
const BEARER: Known = { option: 'bearer', title: 'Bearer token' };
const OAUTH: Known = { option: 'bearer', title: 'OAuth 2 sign-in' };

/** Types of n8n whose way to sign in is known and has an option here; services that sign in by OAuth 2 are read by their names. */
const KNOWN: ReadonlyMap<string, Known> = new Map([
  ['httpBasicAuth', { option: 'basic', title: 'User name and password' }],
  ['httpHeaderAuth', { option: 'header', title: 'Header' }],
  ['httpBearerAuth', BEARER],
  ['oAuth2Api', OAUTH],
  ['githubApi', { option: 'token', title: 'Bearer token' }],
  ['linearApi', { option: 'raw', title: 'Bearer token' }],
  ...[
    'airtableTokenApi',
    'asanaApi',
    'hubspotAppToken',
    'huggingFaceApi',
    'mistralCloudApi',
    'notionApi',
    'openAiApi',
    'openRouterApi',
    'sendGridApi',
    'slackApi',
    'stripeApi',
    'todoistApi',
  ].map((type) => [type, BEARER] as const),
]);

/** The type of credential that belongs to an authentication in the first versions of the node. */
const FIRST_TYPES: ReadonlyMap<string, string> = new Map([
  ['basicAuth', 'httpBasicAuth'],
  ['headerAuth', 'httpHeaderAuth'],
  ['queryAuth', 'httpQueryAuth'],
  ['digestAuth', 'httpDigestAuth'],
  ['oAuth1', 'oAuth1Api'],
  ['oAuth2', 'oAuth2Api'],
]);
const FIELD = 'curl';

/** The type of the credential that the node sends; it may keep others that were chosen before. */
function readType({ params }: Target, authentication: string): string | undefined {
  const generic = params.text('genericAuthType');
  const predefined = params.text('nodeCredentialType');
  if (authentication === 'genericCredentialType') return generic;
  if (authentication === 'predefinedCredentialType') return predefined;
  return FIRST_TYPES.get(authentication);
}

/** Options with which the command signs in as the node does, by the name of its credential. */
export function signInOptions({ credentials }: SourceNode, to: Target): string[] {
  const authentication = to.params.text('authentication', 'none');
  const type = readType(to, authentication);
  if (authentication === 'none') return [];
  const used = credentials.find((credential) => credential.type === type);
  const known = used && (KNOWN.get(used.type) ?? (used.type.endsWith('OAuth2Api') ? OAUTH : undefined));
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
