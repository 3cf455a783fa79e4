import { and, asc, eq, gt, isNotNull } from 'drizzle-orm';
import { createKeyring } from '../../core/secrets/fernet.ts';
import type { Secrets } from '../../core/secrets/secrets-file.ts';
import type { Db } from '../../database/database.ts';
import { globalVariables } from '../../database/schema/sharing.ts';

const BATCH = 500;

interface SealedRow {
  readonly id: string;
  readonly sealed_value: string | null;
}

async function* sealedRows(db: Db): AsyncGenerator<SealedRow> {
  const { id, sealed_value } = globalVariables;
  let after: string | undefined;
  for (;;) {
    const rows = await db
      .select({ id, sealed_value })
      .from(globalVariables)
      .where(and(isNotNull(sealed_value), after === undefined ? undefined : gt(id, after)))
      .orderBy(asc(id))
      .limit(BATCH);
    yield* rows;
    after = rows.at(-1)?.id;
    if (rows.length < BATCH) return;
  }
}

/**
 * Encrypts hidden values of global variables with the current key where a former one encrypted them. A value that changes
 * meanwhile is left alone: the change itself used the current key.
 *
 * @returns how many were encrypted anew
 */
export async function resealGlobals(db: Db, secrets: Secrets, now: () => number): Promise<number> {
  const keyring = createKeyring(secrets.encryption_keys);
  let resealed = 0;
  for await (const { id, sealed_value } of sealedRows(db)) {
    const anew = sealed_value === null ? undefined : keyring.reseal(sealed_value, now());
    if (sealed_value === null || anew === undefined) continue;
    await db
      .update(globalVariables)
      .set({ sealed_value: anew })
      .where(and(eq(globalVariables.id, id), eq(globalVariables.sealed_value, sealed_value)));
    resealed += 1;
  }
  return resealed;
}
