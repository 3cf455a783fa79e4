import type { Credential } from '@millrace/contracts';
import { plainWords } from '@millrace/engine';
import {
  type CredentialConfig,
  type CredentialType,
  mergeCredentialConfig,
  parseCredentialConfig,
} from '@millrace/engine/credential';
import { credentialType, credentialTypes, type ModelRouterConfig } from '@millrace/nodes/credentials';
import { AppError, conflict, forbidden, invalidField, notFound } from '../../core/app-error.ts';
import { isUuid, newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Needs } from '../../services.ts';
import { nameIsTaken, sharedBy, unlessTaken } from '../shares/reach.ts';
import { listGrantees } from '../shares/service.ts';
import { credentialShareable } from '../shares/shareable.ts';
import { grantIdentity, TOKEN_FIELDS, withoutTokens } from './oauth/token-config.ts';
import * as queries from './queries.ts';
import { requireRouterReferences } from './router.ts';
import { getDisplay, openConfig, sealConfig } from './sealing.ts';

type Reader = Needs<'db' | 'actor' | 'secrets'>;
type Writer = Needs<'db' | 'actor' | 'secrets' | 'broadcast' | 'now' | 'request_id' | 'client_ip'>;
type Input = Record<string, unknown>;

function credentialRecord(ctx: Needs<'secrets'>, row: queries.VisibleRow): Credential {
  const { credential } = row;
  const { own_fields, public_fields, withheld_fields, ...display } = getDisplay(ctx.secrets, credential);
  return {
    id: credential.id,
    name: credential.name,
    type: credential.type,
    ...display,
    public_fields: row.rank === 0 ? own_fields : public_fields,
    withheld_fields: row.rank === 0 ? withheld_fields : [],
    created_at: credential.created_at.toISOString(),
    updated_at: credential.updated_at.toISOString(),
    ...sharedBy(row),
  };
}

const records = (ctx: Needs<'secrets'>, rows: queries.VisibleRow[]) =>
  rows.map((row) => credentialRecord(ctx, row));

export async function listCredentials(ctx: Reader): Promise<Credential[]> {
  return records(ctx, await queries.listVisible(ctx.db, ctx.actor.user_id));
}

export async function listByTypes(ctx: Reader, types: readonly string[]): Promise<Credential[]> {
  return records(ctx, await queries.listOfTypes(ctx.db, ctx.actor.user_id, types));
}

const MODEL_TYPES = [...credentialTypes.filter((type) => type.model).map(({ type }) => type), 'model_router'];

export const listModelCredentials = (ctx: Reader): Promise<Credential[]> => listByTypes(ctx, MODEL_TYPES);

/** Names that `$credentials` knows (§2.7); types that expressions cannot read are left out. */
export async function listAvailable(ctx: Reader): Promise<{ name: string; type: string }[]> {
  const rows = await queries.resolveNames(ctx.db, ctx.actor.user_id, undefined);
  return rows
    .filter((row) => credentialType(row.type)?.expression({}) !== undefined)
    .map(({ name, type }) => ({ name, type }));
}

/** The credentials of these names that the caller may use, by name: of several the one that counts (§5.8). */
export async function findNamed(
  { db, actor }: Needs<'db' | 'actor'>,
  names: readonly string[],
): Promise<Map<string, { id: string; type: string }>> {
  const rows = await queries.resolveNames(db, actor.user_id, names);
  return new Map(rows.map((row) => [row.name, row]));
}

/** The row when the caller may use the credential; undefined for others. */
export const findUsable = (
  { db, actor }: Needs<'db' | 'actor'>,
  id: string,
): Promise<queries.VisibleRow | undefined> => queries.visibleById(db, actor.user_id, id);

/** The row when the caller may use the credential; it does not exist for others. */
export async function requireUsable(ctx: Needs<'db' | 'actor'>, id: string): Promise<queries.VisibleRow> {
  const row = await findUsable(ctx, id);
  if (!row) throw notFound('Credential');
  return row;
}

/** Those of the ids that the caller may use. */
export const usableCredentialIds = async (
  ctx: Needs<'db' | 'actor'>,
  ids: readonly string[],
): Promise<Set<string>> => new Set((await usableCredentialTypes(ctx, ids)).keys());

/** Types of those of the ids that the caller may use. */
export async function usableCredentialTypes(
  ctx: Needs<'db' | 'actor'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const known = ids.filter(isUuid);
  if (known.length === 0) return new Map();
  const rows = await queries.visibleByIds(ctx.db, ctx.actor.user_id, known);
  return new Map(rows.map(({ credential }) => [credential.id, credential.type]));
}

/** The credential when it is the caller's own; a shared one is refused. */
export async function requireOwn(ctx: Needs<'db' | 'actor'>, id: string): Promise<queries.CredentialRow> {
  const { credential, rank } = await requireUsable(ctx, id);
  if (rank !== 0) throw forbidden('Only the owner of the credential may do this');
  return credential;
}

export async function readCredential(ctx: Reader, id: string): Promise<Credential> {
  return credentialRecord(ctx, await requireUsable(ctx, id));
}

export function requireType(type: string): CredentialType {
  const known = credentialType(type);
  if (known) return known;
  const names = credentialTypes.map((entry) => entry.type).join(', ');
  throw invalidField(['body', 'type'], `is not a credential type; use one of ${names}`);
}

/** The configuration when it is valid; otherwise every wrong field is named. */
export function requireConfig(type: CredentialType, input: Input): Record<string, unknown> {
  const { config, problems } = parseCredentialConfig(type, input, plainWords);
  if (config) return config;
  const detail = problems.map(({ path, message }) => ({
    loc: ['body', 'config', ...path],
    msg: message,
    type: 'value_error',
  }));
  throw new AppError('invalid_input', 'The configuration is not valid', { detail });
}

/** The stored configuration of a credential; refused in words when no configured key opens it. */
export function requireReadable(ctx: Needs<'secrets'>, row: queries.CredentialRow): CredentialConfig {
  const config = openConfig(ctx.secrets, row);
  if (!config)
    throw conflict('The stored secret cannot be decrypted with the configured keys; enter it again');
  return config;
}

async function validConfig(ctx: Writer, type: CredentialType, input: Input): Promise<CredentialConfig> {
  const config = requireConfig(type, input);
  if (type.type === 'model_router') await requireRouterReferences(ctx, config);
  return config;
}

const nameTaken = (name: string) => conflict(`You already have a credential named "${name}"`);

export async function createCredential(
  ctx: Writer,
  input: { name: string; type: string; config: Input },
): Promise<Credential> {
  const type = requireType(input.type);
  const config = await validConfig(ctx, type, input.config);
  const now = new Date(ctx.now());
  const id = newId();
  await ctx.db.transaction(async (tx) => {
    const row = await queries.insertCredential(tx, {
      id,
      owner_id: ctx.actor.user_id,
      name: input.name,
      type: type.type,
      ...sealConfig(ctx.secrets, config, ctx.now()),
      created_at: now,
      updated_at: now,
    });
    if (!row) throw nameTaken(input.name);
    await recordAudit(tx, ctx, {
      action: 'credential.created',
      object_kind: 'credential',
      object_id: id,
      object_name: input.name,
      details: { type: type.type },
    });
  });
  announce(ctx, [ctx.actor.user_id]);
  return readCredential(ctx, id);
}

function announce(ctx: Needs<'broadcast'>, user_ids: readonly string[]): void {
  for (const user_id of user_ids) ctx.broadcast.publish('access_changed', `user:${user_id}`);
}

/** The configuration that an edit leaves stored; one that cannot be decrypted is replaced as a whole. */
async function editedConfig(
  ctx: Writer,
  row: queries.CredentialRow,
  input: Input,
): Promise<CredentialConfig> {
  const type = credentialType(row.type);
  if (!type) throw conflict(`Credentials of type "${row.type}" are not supported by this version`);
  const stored = openConfig(ctx.secrets, row) ?? {};
  const merged = mergeCredentialConfig(type, stored, input);
  const next = await validConfig(ctx, type, merged);
  // Tokens are sent to the provider, and mean something only there: another client or address starts without them.
  const isSame = grantIdentity(type, stored) === grantIdentity(type, next);
  if (isSame || Object.keys(stored).length === 0) return next;
  // Checked once more, because a token that people enter themselves is required.
  return validConfig(ctx, type, { ...withoutTokens(merged), ...givenTokens(input) });
}

const givenTokens = (input: Input): Input =>
  Object.fromEntries(Object.entries(input).filter(([name]) => TOKEN_FIELDS.has(name)));

export async function updateCredential(
  ctx: Writer,
  { id, ...input }: { id: string; name?: string | null | undefined; config?: Input | null | undefined },
): Promise<Credential> {
  await ctx.db.transaction(async (tx) => {
    const inside = { ...ctx, db: tx };
    await queries.lockCredential(tx, id);
    const row = await requireOwn(inside, id);
    const name = input.name ?? row.name;
    const taken = { owner_id: row.owner_id, name, except_id: id };
    if (name !== row.name && (await nameIsTaken(tx, credentialShareable, taken))) throw nameTaken(name);
    const sealed = input.config
      ? sealConfig(ctx.secrets, await editedConfig(inside, row, input.config), ctx.now())
      : {};
    const change = { name, ...sealed, updated_at: new Date(ctx.now()) };
    await unlessTaken(queries.updateCredential(tx, id, change), () => nameTaken(name));
    await recordAudit(tx, ctx, {
      action: 'credential.updated',
      object_kind: 'credential',
      object_id: id,
      object_name: name,
      details: { fields: [...(name === row.name ? [] : ['name']), ...Object.keys(input.config ?? {})] },
    });
  });
  announce(ctx, [ctx.actor.user_id]);
  return readCredential(ctx, id);
}

export async function deleteCredential(ctx: Writer, id: string): Promise<void> {
  const users = await ctx.db.transaction(async (tx) => {
    const row = await requireOwn({ ...ctx, db: tx }, id);
    const grantees = await listGrantees(tx, credentialShareable, id);
    await queries.deleteCredential(tx, id);
    await recordAudit(tx, ctx, {
      action: 'credential.deleted',
      object_kind: 'credential',
      object_id: id,
      object_name: row.name,
      details: { people: grantees.length },
    });
    return grantees;
  });
  announce(ctx, [ctx.actor.user_id, ...users]);
}

/** Configuration of a router for its owner's form; it names credentials, so only the owner may read it. */
export async function readModelRouter(ctx: Reader, id: string): Promise<ModelRouterConfig> {
  const { credential, rank } = await requireUsable(ctx, id);
  if (rank !== 0) throw forbidden('Only the owner of the credential may do this');
  if (credential.type !== 'model_router')
    throw new AppError('bad_request', 'The credential is not a model router');
  const config = requireConfig(requireType('model_router'), { ...requireReadable(ctx, credential) });
  return config as ModelRouterConfig;
}
