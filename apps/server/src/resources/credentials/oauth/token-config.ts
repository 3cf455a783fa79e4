import {
  type CredentialConfig,
  type CredentialType,
  getOauthClient,
  oauthTokenFields,
  readConfigText,
} from '@millrace/engine/credential';
import type { Tokens } from './token-endpoint.ts';

/** Tokens are renewed that long before they end, so that none ends on its way. */
const EARLY_MS = 120_000;

export const TOKEN_FIELDS = new Set(oauthTokenFields.map(({ name }) => name));

/** The configuration after a sign-in or a renewal; what an answer leaves out stays as it was (RFC 6749 section 6). */
export function withTokens(config: CredentialConfig, tokens: Tokens): Record<string, unknown> {
  const { access_token, refresh_token, id_token, expires_at_ms, scope, account } = tokens;
  const { token_expiry: _, ...rest } = config;
  return {
    ...rest,
    access_token,
    ...(refresh_token === undefined ? {} : { refresh_token }),
    ...(id_token === undefined ? {} : { id_token }),
    ...(expires_at_ms === undefined ? {} : { token_expiry: new Date(expires_at_ms).toISOString() }),
    ...(scope === undefined ? {} : { scope }),
    ...(account === undefined ? {} : { account }),
    connection: 'connected',
  };
}

/** The configuration without what a sign-in brought. */
export const withoutTokens = (config: CredentialConfig): Record<string, unknown> =>
  Object.fromEntries(Object.entries(config).filter(([name]) => !TOKEN_FIELDS.has(name)));

/** After the provider has ended the sign-in: the account is still named, so that people know where to sign in again. */
export function endedConfig(config: CredentialConfig): Record<string, unknown> {
  const account = readConfigText(config, 'account');
  return { ...withoutTokens(config), ...(account === '' ? {} : { account }), connection: 'ended' };
}

/** Identifies what tokens were made for; those of another client, account or provider are worth nothing. */
export function grantIdentity(type: CredentialType, config: CredentialConfig): string {
  const oauth = type.oauth?.(config);
  const account = type.service_account?.(config);
  return JSON.stringify([
    oauth?.authorization_url,
    oauth?.token_url,
    oauth && getOauthClient(oauth, config).client_id,
    oauth?.resource,
    account?.issuer,
    account?.subject,
  ]);
}

/** Whether the access token is about to end, or has ended; one of unknown length is used until it is refused. */
export function needsRenewal(type: CredentialType, config: CredentialConfig, now_ms: number): boolean {
  if (readConfigText(config, 'access_token') === '') return type.service_account?.(config) !== undefined;
  const ends_ms = Date.parse(readConfigText(config, 'token_expiry'));
  return Number.isFinite(ends_ms) && ends_ms - now_ms < EARLY_MS;
}

/** Whether new tokens can be had without a person. */
export function mayRenew(type: CredentialType, config: CredentialConfig): boolean {
  if (type.service_account?.(config)) return true;
  return type.oauth?.(config) !== undefined && readConfigText(config, 'refresh_token') !== '';
}
