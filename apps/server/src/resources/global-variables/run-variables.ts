import type { GlobalVariableType } from '@millrace/contracts';
import { isBlockedKey } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import { auditStatement } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { GlobalWrite, RunGlobals, RunSecrets, Transaction } from '../../ports/run/run-secrets.ts';
import { CoercionError, coerce } from './coerce.ts';
import { revealValue } from './hidden-value.ts';
import * as queries from './queries.ts';

const LONGEST_NAME = 255;
/** Characters of JSON text. */
export const LARGEST_VALUE = MEGABYTE;

function isName(name: string): boolean {
  return name.trim() !== '' && name.length <= LONGEST_NAME && !name.includes('\0') && !isBlockedKey(name);
}

/** Why a run cannot store the value under the name; undefined when it can. */
export function describeRefusal(name: string, value: unknown): string | undefined {
  if (!isName(name)) return 'its name must have 1 to 255 characters and not be a reserved word';
  const size = JSON.stringify(value ?? null).length;
  return size > LARGEST_VALUE ? 'its value is larger than a megabyte' : undefined;
}

interface Stored {
  readonly value: unknown;
  readonly sealed_value: string | null;
  readonly value_type: string;
}

/** The value as the declared type stores it; a value of another type makes the variable an automatic one. */
function fitted({ value, sealed_value }: Omit<GlobalWrite, 'name'>, declared: GlobalVariableType): Stored {
  // A value with a secret is shown as text, regardless of its real type.
  if (sealed_value !== null) return { value, sealed_value, value_type: 'auto' };
  try {
    return { value: coerce(value, declared), sealed_value, value_type: declared };
  } catch (error) {
    if (error instanceof CoercionError) return { value, sealed_value, value_type: 'auto' };
    throw error;
  }
}

/** An increment adds to what is stored now, not to what the run read when it began. */
function applyWrite(row: Stored, write: GlobalWrite): Stored {
  const { by } = write;
  const sum = by !== undefined && typeof row.value === 'number' ? row.value + by : Number.NaN;
  const value = Number.isFinite(sum) ? sum : write.value;
  return fitted({ ...write, value }, row.value_type as GlobalVariableType);
}

interface VariableAccessOptions extends Pick<RunSecrets, 'open'> {
  readonly db: Db;
  readonly now: () => number;
}

/** Global variables of one person, as runs read and write them. */
export function createVariableAccess({ db, now, open }: VariableAccessOptions) {
  return {
    async globalVariables(user_id: string): Promise<RunGlobals> {
      const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
      const shown: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
      const secrets: string[] = [];
      for (const { name, ...stored } of await queries.resolveValues(db, user_id)) {
        const revealed = revealValue({ open }, stored);
        values[name] = revealed.value;
        shown[name] = stored.value;
        secrets.push(...revealed.secrets);
      }
      return { values, shown, secrets };
    },

    /**
     * Writes the person's own variable, also where one of that name is shared with them.
     *
     * @param tx the transaction that ends the run
     */
    async setGlobalVariable(tx: Transaction, user_id: string, write: GlobalWrite): Promise<void> {
      const at = new Date(now());
      const found = await lockOwn(tx, user_id, write.name);
      if (found) return change(tx, found, { next: applyWrite(found, write), at });
      if (await insert(tx, { user_id, write, at })) {
        const entry = {
          action: 'global_variable.created',
          object_kind: 'global_variable',
          object_name: write.name,
          owner_id: user_id,
          details: { by: 'run' },
        };
        await tx.query(auditStatement({ now }, entry));
        return;
      }
      // Another run has inserted it since it was looked for; the insertion above waited for that one's commit.
      const other = await lockOwn(tx, user_id, write.name);
      if (other) await change(tx, other, { next: applyWrite(other, write), at });
    },
  };
}

interface OwnRow extends Stored {
  readonly id: string;
}

async function lockOwn(tx: Transaction, user_id: string, name: string): Promise<OwnRow | undefined> {
  const { rows } = await tx.query<{
    id: string;
    value: string;
    sealed_value: string | null;
    value_type: string;
  }>({
    text: `SELECT id, value, sealed_value, value_type FROM global_variables
      WHERE owner_id = $1 AND name = $2 FOR UPDATE`,
    values: [user_id, name],
  });
  const [row] = rows;
  return row && { ...row, value: JSON.parse(row.value) as unknown };
}

async function change(
  tx: Transaction,
  { id }: OwnRow,
  { next, at }: { next: Stored; at: Date },
): Promise<void> {
  await tx.query({
    text: `UPDATE global_variables SET value = $2, sealed_value = $3, value_type = $4, updated_at = $5,
      revision = revision + 1 WHERE id = $1`,
    values: [id, JSON.stringify(next.value ?? null), next.sealed_value, next.value_type, at],
  });
}

interface Insertion {
  readonly user_id: string;
  readonly write: GlobalWrite;
  readonly at: Date;
}

/** False when there is one of that name. */
async function insert(tx: Transaction, { user_id, write, at }: Insertion): Promise<boolean> {
  const { name, value, sealed_value } = write;
  const { rows } = await tx.query({
    text: `INSERT INTO global_variables (owner_id, name, value, sealed_value, value_type, created_at, updated_at)
      VALUES ($1, $2, $3, $4, 'auto', $5, $5) ON CONFLICT DO NOTHING RETURNING id`,
    values: [user_id, name, JSON.stringify(value ?? null), sealed_value, at],
  });
  return rows.length > 0;
}
