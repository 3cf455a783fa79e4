import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isLasting, NodeFailure } from '@millrace/engine';
import { type CredentialConfig, type CredentialType, readConfigText } from '@millrace/engine/credential';
import { credentialType } from '@millrace/nodes/credentials';
import type { Egress } from '@millrace/nodes/runtime';
import type { Secrets } from '../../../core/secrets/secrets-file.ts';
import type { Db } from '../../../database/database.ts';
import { publishEvent } from '../../../database/platform-events.ts';
import { persist } from '../../../execution/ownership/persist.ts';
import type { Broadcast } from '../../../ports/coordination/broadcast.ts';
import * as queries from '../queries.ts';
import { openConfig, sealConfig } from '../sealing.ts';
import { endedConfig, mayRenew, needsRenewal, withTokens } from './token-config.ts';
import { accountTokens, GrantEnded, refreshTokens, type Tokens } from './token-endpoint.ts';

/** Longer than an exchange takes with its repetition, so that no second process asks meanwhile. */
const CLAIM_MS = 30_000;
const POLL_MS = 200;

export interface RenewalServices {
  readonly db: Db;
  readonly secrets: Secrets;
  readonly egress: Egress;
  readonly broadcast: Broadcast;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface FreshOptions {
  /** An access token that the service has refused, which is renewed even if it has not expired yet. */
  readonly refused?: string;
}

export interface Renewals {
  /**
   * The configuration with an access token that still lasts. Of all processes one asks the provider; the others wait for
   * what it stores, so that a refresh token that is replaced with each use is used once.
   *
   * @throws NodeFailure when the provider does not answer, or only a new sign-in helps
   */
  fresh(
    row: queries.CredentialRow,
    config: CredentialConfig,
    options?: FreshOptions,
  ): Promise<CredentialConfig>;
}

export const signInAgain = (name: string, title: string): NodeFailure =>
  new NodeFailure({
    kind: 'credential',
    message: `The sign-in of the credential "${name}" at ${title} has ended; sign in again on the credentials page`,
    field: 'credentialId',
    final: true,
  });

const accountRefused = (name: string, title: string, said: string): NodeFailure =>
  new NodeFailure({
    kind: 'credential',
    message: `${title} refused the service account of the credential "${name}": ${said}; check its key`,
    field: 'credentialId',
    final: true,
  });

/** How tokens of credentials are kept fresh (RFC 6749 section 6, RFC 9700 section 4.14.2). */
export function createRenewals(services: RenewalServices): Renewals {
  const underWay = new Map<string, Promise<CredentialConfig>>();
  return {
    fresh(row, config, { refused } = {}) {
      const type = credentialType(row.type);
      if (!type || !isDue(type, config, { refused, now_ms: services.now() })) return Promise.resolve(config);
      if (config['connection'] === 'ended') return Promise.reject(signInAgain(row.name, type.title));
      // Without a refresh token the old one is tried: the service then says itself that it has ended.
      if (!mayRenew(type, config)) {
        return refused === undefined
          ? Promise.resolve(config)
          : ended(services, { row, config, type }, 'the service refused the access token');
      }
      const key = `${row.id} ${refused ?? ''}`;
      const known = underWay.get(key);
      if (known) return known;
      const due = { id: row.id, name: row.name, type, refused };
      const renewing = renewed(services, due).finally(() => underWay.delete(key));
      underWay.set(key, renewing);
      return renewing;
    },
  };
}

function isDue(
  type: CredentialType,
  config: CredentialConfig,
  { refused, now_ms }: { refused: string | undefined; now_ms: number },
): boolean {
  if (config['connection'] === 'ended' && readConfigText(config, 'access_token') === '') return true;
  if (refused !== undefined) return readConfigText(config, 'access_token') === refused;
  return needsRenewal(type, config, now_ms);
}

interface Due {
  readonly id: string;
  /** Of the credential, for messages. */
  readonly name: string;
  readonly type: CredentialType;
  readonly refused: string | undefined;
}

async function renewed(services: RenewalServices, due: Due): Promise<CredentialConfig> {
  const { db, secrets, now } = services;
  const gives_up_ms = now() + 2 * CLAIM_MS;
  for (;;) {
    const until = new Date(now() + CLAIM_MS);
    const claimed = await queries.claimRenewal(db, due.id, { now: new Date(now()), until });
    const row = claimed ?? (await queries.credentialById(db, due.id));
    const config = row && openConfig(secrets, row);
    if (!row || !config) throw signInAgain(due.name, due.type.title);
    // Another process may have renewed them while this one waited for its turn.
    const isDone = !isDue(due.type, config, { refused: due.refused, now_ms: now() });
    if (claimed && !isDone) return await renewNow(services, { ...due, row, config, until });
    if (claimed) await queries.endRenewal(db, due.id, until);
    if (isDone) return config;
    if (now() > gives_up_ms) {
      throw new NodeFailure({
        kind: 'upstream',
        message: `${due.type.title}: the sign-in is being renewed for too long`,
      });
    }
    await pause(POLL_MS);
  }
}

interface Turn extends Due {
  readonly row: queries.CredentialRow;
  readonly config: CredentialConfig;
  readonly until: Date;
}

async function renewNow(services: RenewalServices, turn: Turn): Promise<CredentialConfig> {
  const { row, config, type, until } = turn;
  try {
    if (config['connection'] === 'ended') throw signInAgain(row.name, type.title);
    const tokens = await askedTwice(() => askedFor(services, turn));
    // Many providers take a refresh token once: what they gave for it must not be lost with a connection to the database.
    return await persist(() => stored(services, turn, { tokens }));
  } catch (error) {
    if (!(error instanceof GrantEnded)) throw error;
    if (type.service_account?.(config)) throw accountRefused(row.name, type.title, error.message);
    return await ended(services, turn, error.message);
  } finally {
    await persist(() => queries.endRenewal(services.db, row.id, until));
  }
}

function askedFor({ egress, now }: RenewalServices, { type, config }: Turn): Promise<Tokens> {
  const account = type.service_account?.(config);
  if (account) return accountTokens({ egress, now, title: type.title }, account);
  const oauth = type.oauth?.(config);
  if (!oauth) throw new GrantEnded('no sign-in');
  return refreshTokens(
    { egress, now, title: type.title, oauth, config },
    readConfigText(config, 'refresh_token'),
  );
}

/** A lost connection may have lost only the answer; providers that replace refresh tokens take the same one again for a moment. */
async function askedTwice(ask: () => Promise<Tokens>): Promise<Tokens> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof NodeFailure) || error.failure.kind === 'credential' || isLasting(error))
      throw error;
    return await ask();
  }
}

/**
 * Stores that only a person can sign in again, and notifies the owner. Resolves when the owner has done so meanwhile.
 *
 * @throws NodeFailure otherwise
 */
async function ended(
  services: RenewalServices,
  grant: Pick<Turn, 'row' | 'config' | 'type'>,
  reason: string,
): Promise<CredentialConfig> {
  const config = await stored(services, grant, { ended: reason });
  if (readConfigText(config, 'access_token') !== '') return config;
  throw signInAgain(grant.row.name, grant.type.title);
}

type Outcome =
  | { readonly tokens: Tokens; readonly ended?: undefined }
  | { readonly tokens?: undefined; readonly ended: string };

/** Stores what came of a renewal, unless the owner has signed in anew or changed the client meanwhile. */
async function stored(
  services: RenewalServices,
  turn: Pick<Turn, 'row' | 'config'>,
  outcome: Outcome,
): Promise<CredentialConfig> {
  const { db, secrets, now, broadcast } = services;
  const result = await db.transaction(async (tx) => {
    await queries.lockCredential(tx, turn.row.id);
    const row = await queries.credentialById(tx, turn.row.id);
    const current = row && openConfig(secrets, row);
    if (!row || !current) return turn.config;
    if (!isSameGrant(current, turn.config)) return current;
    const next = outcome.tokens ? withTokens(current, outcome.tokens) : endedConfig(current);
    // `updated_at` is the time of changes by people.
    await queries.updateCredential(tx, row.id, sealConfig(secrets, next, now()));
    if (outcome.ended !== undefined) await publishEvent(tx, endedEvent(row, outcome.ended, new Date(now())));
    return next;
  });
  broadcast.publish('access_changed', `user:${turn.row.owner_id}`);
  return result;
}

const isSameGrant = (one: CredentialConfig, other: CredentialConfig): boolean =>
  ['refresh_token', 'access_token', 'service_account_key'].every(
    (name) => readConfigText(one, name) === readConfigText(other, name),
  );

function endedEvent(
  { id, name, type, owner_id, encrypted_config }: queries.CredentialRow,
  reason: string,
  at: Date,
) {
  return {
    name: 'credential.sign_in_ended' as const,
    owner_id,
    workflow_id: null,
    payload: { credential_id: id, name, type, owner_id, reason, ended_at: at.toISOString() },
    // One sign-in ends once.
    dedupe_key: `credential.sign_in_ended:${id}:${createHash('sha256').update(encrypted_config).digest('hex').slice(0, 16)}`,
    at,
  };
}
