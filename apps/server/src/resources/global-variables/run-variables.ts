import type { GlobalVariableType } from '@millrace/contracts';
import { isBlockedKey } from '@millrace/engine';
import { recordAudit } from '../../core/audit.ts';
import type { Db } from '../../database/database.ts';
import { CoercionError, coerce } from './coerce.ts';
import * as queries from './queries.ts';

const LONGEST_NAME = 255;

function isName(name: string): boolean {
  return name.trim() !== '' && name.length <= LONGEST_NAME && !name.includes('\0') && !isBlockedKey(name);
}

/** The value as the declared type stores it; a value of another type makes the variable an automatic one. */
function fitted(
  value: unknown,
  declared: GlobalVariableType,
): { value: unknown; value_type: GlobalVariableType } {
  try {
    return { value: coerce(value, declared), value_type: declared };
  } catch (error) {
    if (error instanceof CoercionError) return { value, value_type: 'auto' };
    throw error;
  }
}

/** Global variables of one person, as runs read and write them. */
export function createVariableAccess({ db, now }: { db: Db; now: () => number }) {
  return {
    async globalVariables(user_id: string): Promise<Readonly<Record<string, unknown>>> {
      const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
      for (const { name, value } of await queries.resolveValues(db, user_id)) values[name] = value;
      return values;
    },

    /** Writes the person's own variable, also where one of that name is shared with them. */
    async setGlobalVariable(user_id: string, name: string, value: unknown): Promise<void> {
      if (!isName(name)) throw new Error('not a name of a global variable');
      const at = new Date(now());
      await db.transaction(async (tx) => {
        const fresh = {
          owner_id: user_id,
          name,
          value: value ?? null,
          value_type: 'auto',
          created_at: at,
          updated_at: at,
        };
        const inserted = await queries.insertVariable(tx, fresh);
        if (inserted) {
          await recordAudit(
            tx,
            { now },
            {
              action: 'global_variable.created',
              object_kind: 'global_variable',
              object_id: inserted.id,
              object_name: name,
              owner_id: user_id,
              details: { by: 'run' },
            },
          );
          return;
        }
        const row = await queries.ownByName(tx, user_id, name);
        if (!row) return;
        const next = fitted(value ?? null, row.value_type as GlobalVariableType);
        await queries.updateVariable(tx, row.id, { ...next, updated_at: at });
      });
    },
  };
}
