import type { SqlClient } from '../../database/sql-client.ts';
import { parameterLayout } from './encoding/columns.ts';
import { storeBlobs } from './encoding/store-blobs.ts';
import { createValueEncoder } from './encoding/values.ts';
import { readStored } from './load.ts';
import { hasNotEnded } from './run-state.ts';
import { BLOB_COLUMNS } from './tables.ts';

/** Columns that hold values encrypted: alone, in a field of a JSON object, or in what came with a decision. */
type SealedColumn = 'options' | 'outcome' | 'sealed' | 'result';

/** A stored text with an encrypted value in it. */
export interface SealedText {
  readonly column: SealedColumn;
  readonly text: string;
  /** Large values of `result` are kept apart; this is all of it. */
  readonly whole: unknown;
  readonly run_id: string;
}

const RUNS_AT_ONCE = 200;

const PAGE = `SELECT id, workflow_id FROM runs WHERE ${hasNotEnded()} AND (workflow_id, id) > ($1::uuid, $2::uuid)
  ORDER BY workflow_id, id LIMIT ${RUNS_AT_ONCE}`;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** A run that ended is read by the one above it when that is resumed. */
const TEXTS = `SELECT 'options' AS column, options AS text, id AS run_id FROM runs
  WHERE id = ANY($1::uuid[]) AND options LIKE '%"sealed_input"%'
UNION ALL SELECT 'outcome', outcome, id FROM runs
  WHERE parent_run_id = ANY($1::uuid[]) AND outcome LIKE '%"sealed_outputs"%'
UNION ALL SELECT 'sealed', sealed, run_id FROM steps WHERE run_id = ANY($1::uuid[]) AND sealed IS NOT NULL
UNION ALL SELECT 'result', result, run_id FROM waits WHERE run_id = ANY($1::uuid[]) AND result IS NOT NULL`;

/** Everything that is stored encrypted of runs that have not ended. */
export async function* sealedTexts(sql: SqlClient): AsyncGenerator<SealedText> {
  let [workflow_id, id] = [FIRST, FIRST];
  for (;;) {
    const { rows: page } = await sql.query<{ id: string; workflow_id: string }>({
      text: PAGE,
      values: [workflow_id, id],
    });
    const { rows } = await sql.query<Omit<SealedText, 'whole'>>({
      text: TEXTS,
      values: [page.map((run) => run.id)],
    });
    const wholes = await readStored(
      sql,
      rows.map(({ column, text }) => (column === 'result' ? text : null)),
    );
    for (const [index, row] of rows.entries()) yield { ...row, whole: wholes[index] };
    const last = page.at(-1);
    if (!last || page.length < RUNS_AT_ONCE) return;
    ({ workflow_id, id } = last);
  }
}

const PARAMETERS = parameterLayout({ run_id: 'value', before: 'value', after: 'value', blobs: BLOB_COLUMNS });
const { sql: at } = PARAMETERS;

/** No two tokens are the same, so that the text before finds its row among those of a run. */
const replaceSql = (table: string, column: SealedColumn, run_id: string) => `WITH u AS (
  UPDATE ${table} SET ${column} = ${at.after}
  WHERE ${run_id} = ${at.run_id}::uuid AND ${column} = ${at.before} RETURNING ${run_id} AS id),
${storeBlobs({ rows: at.blobs, of: 'u' })}
SELECT count(*)::int AS replaced FROM u`;

const REPLACE: Readonly<Record<SealedColumn, string>> = {
  options: replaceSql('runs', 'options', 'id'),
  outcome: replaceSql('runs', 'outcome', 'id'),
  sealed: replaceSql('steps', 'sealed', 'run_id'),
  result: replaceSql('waits', 'result', 'run_id'),
};

/**
 * Puts a text in the place of one that was read.
 *
 * @param after text of the column; for `result` what it is to hold
 * @returns false when the row has changed since, or is gone
 */
export async function replaceSealedText(
  sql: SqlClient,
  { column, text, run_id }: SealedText,
  after: unknown,
): Promise<boolean> {
  const encoder = createValueEncoder();
  const stored = column === 'result' ? encoder.encode(after) : after;
  const { rows } = await sql.query<{ replaced: number }>({
    text: REPLACE[column],
    values: PARAMETERS.values({ run_id, before: text, after: stored, blobs: encoder.takeBlobs() }),
  });
  return rows[0]?.replaced === 1;
}
