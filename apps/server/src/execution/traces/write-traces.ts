import type { TraceRequestType, TraceSource } from '@millrace/contracts';
import type { SqlClient } from '../../database/sql-client.ts';

/** A row of `traces`; JSON as text, times as ISO 8601. */
export interface TraceRow {
  readonly id: string;
  readonly user_id: string;
  readonly source: TraceSource;
  readonly request_type: TraceRequestType;
  readonly provider: string | null;
  readonly model: string;
  readonly credential_id: string | null;
  readonly credential_name: string | null;
  readonly workflow_id: string | null;
  readonly workflow_name: string | null;
  readonly run_id: string | null;
  readonly node_id: string | null;
  readonly node_label: string | null;
  readonly step: string | null;
  readonly execution_key: string | null;
  readonly budget_ids: readonly string[] | null;
  readonly request: string;
  readonly response: string | null;
  readonly is_cut: boolean;
  readonly error: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly cost_usd: number | null;
  readonly elapsed_ms: number;
  readonly created_at: string;
}

const PLAIN = [
  'id uuid',
  'user_id uuid',
  'source text',
  'request_type text',
  'provider text',
  'model text',
  'credential_name text',
  'workflow_name text',
  'run_id uuid',
  'node_id text',
  'node_label text',
  'step text',
  'execution_key text',
  'budget_ids text[]',
  'request text',
  'response text',
  'is_cut boolean',
  'error text',
  'prompt_tokens integer',
  'completion_tokens integer',
  'total_tokens integer',
  'cached_tokens integer',
  'cost_usd float8',
  'elapsed_ms bigint',
  'created_at timestamptz',
] as const;
const NAMES = PLAIN.map((column) => column.slice(0, column.indexOf(' ')));

/**
 * Those of people who are gone are left out, and names of objects that are gone lose their id: the call is over, and what
 * it used may have been deleted meanwhile.
 */
const INSERT = `INSERT INTO traces (${NAMES.join(', ')}, credential_id, workflow_id)
  SELECT ${NAMES.map((name) => `t.${name}`).join(', ')}, c.id, w.id
  FROM json_to_recordset($1::json) AS t(${PLAIN.join(', ')}, credential_id uuid, workflow_id uuid)
  JOIN users u ON u.id = t.user_id
  LEFT JOIN credentials c ON c.id = t.credential_id
  LEFT JOIN workflows w ON w.id = t.workflow_id
  ON CONFLICT (id) DO NOTHING`;

/** Stores rows that are not stored yet, all in one statement. */
export async function writeTraces(sql: SqlClient, rows: readonly TraceRow[]): Promise<void> {
  await sql.query({ text: INSERT, values: [JSON.stringify(rows)] });
}
