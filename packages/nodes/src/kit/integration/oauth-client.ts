import {
  bearer,
  type CredentialConfig,
  type CredentialType,
  type OauthSignIn,
  oauthTokenFields,
  readConfigText,
  type ServiceAccount,
  secret,
  text,
} from '@millrace/engine/credential';

/** The text that lists show of a sign-in: the connection, else the client that would sign in. */
export const maskedSignIn = (config: CredentialConfig): string =>
  readConfigText(config, 'access_token') === '' ? readConfigText(config, 'client_id') : 'connected';

/** Not secret parts of a sign-in. */
export const SIGN_IN_FIELDS = ['client_id', 'account', 'connection'] as const;

/** A service of Google, and what a sign-in asks for. */
interface GoogleService {
  readonly type: string;
  readonly title: string;
  readonly base_url: string;
  /** https://developers.google.com/identity/protocols/oauth2/scopes */
  readonly scopes: readonly string[];
  /** Path of one harmless call, where the API has one. */
  readonly test?: string;
}

const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const BY_PERSON = { field: 'auth_mode', is: 'oauth' } as const;
const BY_ACCOUNT = { field: 'auth_mode', is: 'service_account' } as const;

/**
 * A credential for a service of Google: a person signs in with the owner's own client, or a service account signs for itself.
 * https://developers.google.com/identity/protocols/oauth2/web-server and .../service-account
 */
export function googleCredential({ type, title, base_url, scopes, test }: GoogleService): CredentialType {
  return {
    type,
    title,
    group: 'productivity',
    fields: [
      {
        name: 'auth_mode',
        label: 'Sign-in',
        kind: 'choice',
        options: ['oauth', 'service_account'],
        default: 'oauth',
      },
      text('client_id', 'Client ID', { required: true, when: BY_PERSON }),
      secret('client_secret', 'Client secret', { required: true, when: BY_PERSON }),
      secret('service_account_key', 'Key file of the service account (JSON)', {
        required: true,
        when: BY_ACCOUNT,
        help: 'The whole file that the Google Cloud console creates under Keys.',
      }),
      text('subject', 'Act for this user', {
        when: BY_ACCOUNT,
        help: 'An e-mail address, for accounts with domain-wide delegation.',
      }),
      ...oauthTokenFields,
    ],
    masked: (config) =>
      isServiceAccount(config) ? (parseKeyFile(config)?.client_email ?? null) : maskedSignIn(config),
    expression: () => '',
    public_fields: ['auth_mode', 'subject', ...SIGN_IN_FIELDS],
    check: (config) =>
      isServiceAccount(config) && !parseKeyFile(config)
        ? { field: 'service_account_key', message: 'must be the JSON key file of a service account' }
        : undefined,
    secrets: (config) => {
      const key = parseKeyFile(config)?.private_key;
      return key === undefined ? [] : [key];
    },
    oauth: (config) => (isServiceAccount(config) ? undefined : googleSignIn(scopes)),
    service_account: (config) => (isServiceAccount(config) ? readServiceAccount(config, scopes) : undefined),
    connect: (config) => {
      const token = readConfigText(config, 'access_token');
      return token === '' ? undefined : { base_url, headers: bearer(token) };
    },
    ...(test === undefined ? {} : { test: { path: test } }),
  };
}

const googleSignIn = (scopes: readonly string[]): OauthSignIn => ({
  authorization_url: 'https://accounts.google.com/o/oauth2/v2/auth',
  token_url: TOKEN_URL,
  revocation_url: 'https://oauth2.googleapis.com/revoke',
  issuer: 'https://accounts.google.com',
  // The first two name the account in the answer.
  scopes: ['openid', 'email', ...scopes],
  // Without these two a second sign-in brings no refresh token.
  extra: { access_type: 'offline', prompt: 'consent' },
  client_auth: 'post',
});

const isServiceAccount = (config: CredentialConfig): boolean => config['auth_mode'] === 'service_account';

interface KeyFile {
  readonly client_email: string;
  readonly private_key: string;
  readonly private_key_id: string;
}

/** The parts of a key file that count; undefined when it is none. */
function parseKeyFile(config: CredentialConfig): KeyFile | undefined {
  let file: unknown;
  try {
    file = JSON.parse(readConfigText(config, 'service_account_key'));
  } catch {
    return undefined;
  }
  if (typeof file !== 'object' || file === null) return undefined;
  const parts = file as CredentialConfig;
  const [client_email, private_key] = [
    readConfigText(parts, 'client_email'),
    readConfigText(parts, 'private_key'),
  ];
  if (client_email === '' || !private_key.includes('PRIVATE KEY')) return undefined;
  return { client_email, private_key, private_key_id: readConfigText(parts, 'private_key_id') };
}

/** Tokens always come from Google's own address and not from the one in the file, because the signed key is sent there. */
function readServiceAccount(config: CredentialConfig, scopes: readonly string[]): ServiceAccount | undefined {
  const file = parseKeyFile(config);
  if (!file) return undefined;
  const subject = readConfigText(config, 'subject');
  return {
    token_url: TOKEN_URL,
    issuer: file.client_email,
    private_key: file.private_key,
    ...(file.private_key_id === '' ? {} : { key_id: file.private_key_id }),
    ...(subject === '' ? {} : { subject }),
    scopes,
  };
}
