import {
  type CredentialConfig,
  type CredentialField,
  type OauthClient,
  type OauthSignIn,
  readConfigText,
  secret,
  text,
} from '@millrace/engine/credential';

const hidden = { hidden: true } as const;

/** Fields for the results of a discovery, kept beside the tokens. */
export const discoveredFields: readonly CredentialField[] = [
  text('discovered_for', 'Server of the sign-in', hidden),
  text('issuer', 'Issuer', hidden),
  text('issuer_client', 'Own client at the issuer', hidden),
  text('authorization_url', 'Authorization URL', hidden),
  text('token_url', 'Token URL', hidden),
  text('revocation_url', 'Revocation URL', hidden),
  text('resource', 'Resource', hidden),
  text('asked_scope', 'Scope that is asked for', hidden),
  text('client_auth', 'Proof of the client', hidden),
  text('sends_issuer', 'Answers name the issuer', hidden),
  text('registered_client_id', 'Registered client ID', hidden),
  secret('registered_client_secret', 'Registered client secret', hidden),
  text('registered_redirect', 'Registered redirect address', hidden),
  text('registered_until', 'End of the registration', hidden),
];

/** Whether people sign in to the server of the credential. */
export const signsIn = (config: CredentialConfig): boolean => readConfigText(config, 'mcp_auth') === 'oauth';

/** The sign-in that was discovered for the server of the credential; of any other server it means nothing. */
export function discoveredSignIn(config: CredentialConfig): OauthSignIn | undefined {
  const [server, authorization_url] = [
    readConfigText(config, 'discovered_for'),
    readConfigText(config, 'authorization_url'),
  ];
  if (!signsIn(config) || authorization_url === '' || server !== readConfigText(config, 'mcp_url'))
    return undefined;
  const revocation_url = readConfigText(config, 'revocation_url');
  const client_auth = readConfigText(config, 'client_auth');
  return {
    authorization_url,
    token_url: readConfigText(config, 'token_url'),
    ...(revocation_url === '' ? {} : { revocation_url }),
    issuer: readConfigText(config, 'issuer'),
    sends_issuer: readConfigText(config, 'sends_issuer') === 'yes',
    scopes: readConfigText(config, 'asked_scope').split(' ').filter(Boolean),
    resource: readConfigText(config, 'resource'),
    client_auth: client_auth === 'basic' || client_auth === 'post' ? client_auth : 'none',
    ...(hasOwnClient(config) ? {} : { client: registeredClient(config) }),
  };
}

/** Whether the owner registered a client at the authorization server themselves. */
export const hasOwnClient = (config: CredentialConfig): boolean => readConfigText(config, 'client_id') !== '';

const registeredClient = (config: CredentialConfig): OauthClient => ({
  client_id: readConfigText(config, 'registered_client_id'),
  client_secret: readConfigText(config, 'registered_client_secret'),
});
