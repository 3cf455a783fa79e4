import type { Logger } from 'pino';
import type { Actor } from '../../core/actor.ts';
import type { Secrets } from '../../core/secrets/secrets-file.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import { resealRuns } from '../../execution/run/secrets/reseal-runs.ts';
import { resealGlobals } from '../global-variables/reseal.ts';
import { resealRefused } from '../inbox/refused.ts';
import * as queries from './queries.ts';
import { getKeyring, openConfig, sealConfig } from './sealing.ts';

const BATCH = 500;

async function* allRows(db: Db): AsyncGenerator<queries.CredentialRow> {
  let after: string | undefined;
  for (;;) {
    const rows = await queries.rowsAfter(db, after, BATCH);
    yield* rows;
    after = rows.at(-1)?.id;
    if (rows.length < BATCH) return;
  }
}

export interface UnreadableCredential {
  readonly id: string;
  readonly name: string;
  readonly owner_id: string;
}

const named = ({ id, name, owner_id }: queries.CredentialRow): UnreadableCredential => ({
  id,
  name,
  owner_id,
});

/**
 * Tries every credential against the configured keys at start, so that a lost or wrong key shows in the log at once and
 * not when a run needs it at night.
 *
 * @returns those that no key opens
 */
export async function checkCredentialKeys({
  db,
  secrets,
  log,
}: {
  db: Db;
  secrets: Secrets;
  log: Logger;
}): Promise<UnreadableCredential[]> {
  const unreadable: UnreadableCredential[] = [];
  for await (const row of allRows(db)) {
    if (openConfig(secrets, row) === undefined) unreadable.push(named(row));
  }
  if (unreadable.length > 0) {
    log.error(
      { credentials: unreadable },
      'some credentials cannot be decrypted: set ENCRYPTION_KEY back, or name the former key in ENCRYPTION_KEYS_OLD',
    );
  }
  return unreadable;
}

export interface Rotation {
  readonly rotated: number;
  readonly unreadable: UnreadableCredential[];
}

/**
 * Encrypts with the current key what a former key encrypted, hidden values of global variables and of runs under way and
 * contents of refused deliveries too.
 * May be repeated, and run while people work.
 */
export async function rotateCredentialKeys(ctx: {
  db: Db;
  sql: SqlClient;
  secrets: Secrets;
  now: () => number;
  actor?: Actor | undefined;
}): Promise<Rotation> {
  const keyring = getKeyring(ctx.secrets);
  const current = keyring.current_id;
  const unreadable: UnreadableCredential[] = [];
  let rotated = 0;
  for await (const row of allRows(ctx.db)) {
    const config = openConfig(ctx.secrets, row);
    if (config === undefined) {
      unreadable.push(named(row));
    } else if (row.key_id !== current) {
      await queries.reseal(ctx.db, row, sealConfig(ctx.secrets, config, ctx.now()));
      rotated += 1;
    }
  }
  const global_variables = await resealGlobals(ctx.db, ctx.secrets, ctx.now);
  const reseal = (token: string) => keyring.reseal(token, ctx.now());
  const run_values = await resealRuns(ctx.sql, reseal);
  const refused_deliveries = await resealRefused(ctx.sql, reseal);
  await recordAudit(ctx.db, ctx, {
    action: 'credential.keys_rotated',
    object_kind: 'credential',
    details: {
      rotated,
      unreadable: unreadable.length,
      global_variables,
      run_values,
      refused_deliveries,
      key_id: current,
    },
  });
  return { rotated, unreadable };
}
