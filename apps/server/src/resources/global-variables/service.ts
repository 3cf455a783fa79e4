import type { GlobalVariable, GlobalVariableType } from '@millrace/contracts';
import { conflict, forbidden, invalidField, notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { RunSecrets, SecretSet } from '../../ports/run/run-secrets.ts';
import type { Needs } from '../../services.ts';
import { sharedBy } from '../shares/reach.ts';
import { cleanJson } from '../workflows/graph/clean-json.ts';
import { CoercionError, coerce } from './coerce.ts';
import { type HiddenValue, hideValue, revealValue } from './hidden-value.ts';
import * as queries from './queries.ts';
import { LARGEST_VALUE } from './run-variables.ts';

type Reader = Needs<'db' | 'actor'>;
type Writer = Needs<'db' | 'actor' | 'broadcast' | 'now' | 'request_id' | 'client_ip'>;

/** Keeps credential values out of what is stored in clear. */
type Vault = Pick<RunSecrets, 'getSecrets' | 'seal' | 'open'>;

function hidden(vault: Vault, { values, masker }: SecretSet, value: unknown): HiddenValue {
  const mask = (whole: unknown) => (masker ? masker.mask(whole) : whole);
  return hideValue(vault, { mask, secrets: values }, value);
}

function variableRecord({ variable, ...row }: queries.VisibleRow): GlobalVariable {
  return {
    id: variable.id,
    name: variable.name,
    value: variable.value,
    value_type: variable.value_type as GlobalVariableType,
    revision: variable.revision,
    created_at: variable.created_at.toISOString(),
    updated_at: variable.updated_at.toISOString(),
    ...sharedBy(row),
  };
}

export async function listVariables(ctx: Reader): Promise<GlobalVariable[]> {
  return (await queries.listVisible(ctx.db, ctx.actor.user_id)).map(variableRecord);
}

async function requireVisible(ctx: Reader, id: string): Promise<queries.VisibleRow> {
  const row = await queries.visibleById(ctx.db, ctx.actor.user_id, id);
  if (!row) throw notFound('Global variable');
  return row;
}

export async function readVariable(ctx: Reader, id: string): Promise<GlobalVariable> {
  return variableRecord(await requireVisible(ctx, id));
}

function requireValue(value: unknown, type: GlobalVariableType): unknown {
  try {
    const coerced = cleanJson(coerce(value, type), ['body', 'value']);
    if (JSON.stringify(coerced).length > LARGEST_VALUE) {
      throw invalidField(['body', 'value'], 'is larger than a megabyte', 'too_big');
    }
    return coerced;
  } catch (error) {
    if (error instanceof CoercionError) throw invalidField(['body', 'value'], error.message);
    throw error;
  }
}

const nameTaken = (name: string) => conflict(`You already have a global variable named "${name}"`);

export async function createVariable(
  ctx: Writer,
  vault: Vault,
  input: { name: string; value: unknown; value_type: GlobalVariableType },
): Promise<GlobalVariable> {
  const secrets = await vault.getSecrets(ctx.actor.user_id);
  const value = hidden(vault, secrets, requireValue(input.value, input.value_type));
  const now = new Date(ctx.now());
  const id = newId();
  await ctx.db.transaction(async (tx) => {
    const row = { ...input, ...value, id, owner_id: ctx.actor.user_id, created_at: now, updated_at: now };
    if (!(await queries.insertVariable(tx, row))) throw nameTaken(input.name);
    await recordAudit(tx, ctx, {
      action: 'global_variable.created',
      object_kind: 'global_variable',
      object_id: id,
      object_name: input.name,
    });
  });
  return readVariable(ctx, id);
}

interface Change {
  readonly name?: string | null | undefined;
  readonly value?: unknown;
  readonly value_type?: GlobalVariableType | null | undefined;
  readonly increment?: number | undefined;
  readonly base_revision?: number | undefined;
}

/** A form that was not touched sends back what it was shown. */
const isAsShown = (row: queries.VariableRow, value: unknown): boolean =>
  row.sealed_value !== null && JSON.stringify(value) === JSON.stringify(row.value);

/** The value that a change leaves stored; a new type also converts the one that is there. */
function changedValue(
  vault: Vault,
  { row, change, secrets }: { row: queries.VariableRow; change: Change; secrets: SecretSet },
): Partial<queries.VariableRow> {
  const value_type = change.value_type ?? (row.value_type as GlobalVariableType);
  if (change.increment !== undefined) {
    if (typeof row.value !== 'number') throw conflict('Only a number can be incremented');
    const value = row.value + change.increment;
    if (!Number.isFinite(value))
      throw invalidField(['body', 'increment'], 'leads beyond what a number can hold');
    return { value };
  }
  const isKept = change.value === undefined || isAsShown(row, change.value);
  if (isKept && value_type === row.value_type) return {};
  const value = isKept ? revealValue(vault, row).value : change.value;
  return { value_type, ...hidden(vault, secrets, requireValue(value, value_type)) };
}

export async function updateVariable(
  ctx: Writer,
  vault: Vault,
  { id, ...change }: Change & { readonly id: string },
): Promise<GlobalVariable> {
  const secrets = await vault.getSecrets(ctx.actor.user_id);
  await ctx.db.transaction(async (tx) => {
    const inside = { ...ctx, db: tx };
    await queries.lockVariable(tx, id);
    const { variable, rank } = await requireVisible(inside, id);
    if (rank !== 0 && (change.name || change.value_type)) {
      throw forbidden('Only the owner of the global variable may change its name or type');
    }
    if (change.base_revision !== undefined && change.base_revision !== variable.revision) {
      throw conflict('Someone else has changed this variable', { revision: variable.revision });
    }
    const name = change.name ?? variable.name;
    if (name !== variable.name && (await queries.ownByName(tx, variable.owner_id, name)))
      throw nameTaken(name);
    const value = changedValue(vault, { row: variable, change, secrets });
    const next = { name, ...value, updated_at: new Date(ctx.now()) };
    await queries.updateVariable(tx, id, next);
    await recordAudit(tx, ctx, {
      action: 'global_variable.updated',
      object_kind: 'global_variable',
      object_id: id,
      object_name: name,
      owner_id: variable.owner_id,
      details: { fields: Object.keys(change).filter((key) => change[key as keyof Change] !== undefined) },
    });
  });
  return readVariable(ctx, id);
}

export async function deleteVariable(ctx: Writer, id: string): Promise<void> {
  const { rank } = await requireVisible(ctx, id);
  if (rank !== 0) throw forbidden('Only the owner of the global variable may do this');
  await deleteVariables(ctx, [id]);
}

/**
 * Deletes own variables; ids of others' are passed over in silence, as a list may be out of date.
 *
 * @returns the ids that were passed over
 */
export function deleteVariables(ctx: Writer, ids: readonly string[]): Promise<string[]> {
  return ctx.db.transaction(async (tx) => {
    const passed = new Set(ids);
    for (const row of await queries.deleteOwn(tx, ctx.actor.user_id, ids)) {
      passed.delete(row.id);
      await recordAudit(tx, ctx, {
        action: 'global_variable.deleted',
        object_kind: 'global_variable',
        object_id: row.id,
        object_name: row.name,
      });
    }
    return [...passed];
  });
}
