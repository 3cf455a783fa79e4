import { computeCost, type ModelCallNote, type ModelPrice } from '@millrace/models';
import type { Logger } from 'pino';
import { newOrderedId } from '../../core/ids.ts';
import { isConnectionLoss } from '../../database/connection-loss.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { RunSecrets } from '../../ports/run/run-secrets.ts';
import type { TraceCause, TraceSecrets, Traces } from '../../ports/run/traces.ts';
import { RunSecretsMask } from '../run/secrets/secrets-mask.ts';
import { storableText } from '../store/encoding/columns.ts';
import { traceBody } from './trace-body.ts';
import { type TraceRow, writeTraces } from './write-traces.ts';

/** Calls that end within this time are written together. */
const PAUSE_MS = 100;
const ROWS_PER_STATEMENT = 50;
/** Traces beyond this many that wait are dropped: they hold the texts of their calls in memory. */
const MAX_WAITING = 500;
/** How often a batch is tried while the database is away, and the pause before the second try. */
const TRIES = 4;
const RETRY_MS = 500;

interface Waiting {
  readonly call: ModelCallNote;
  readonly cause: TraceCause;
  readonly secrets: TraceSecrets;
}

export interface TraceWriterNeeds {
  readonly sql: SqlClient;
  readonly run_secrets: Pick<RunSecrets, 'getSecrets'>;
  readonly log: Logger;
  /** Prices by model that come before the list. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
  /** Sees each trace, with its secrets hidden, when it is written. */
  readonly onTrace?: ((row: TraceRow) => void) | undefined;
}

/** Writes traces behind the calls, several in one statement. */
export function createTraceWriter({ sql, run_secrets, log, prices, onTrace }: TraceWriterNeeds): Traces {
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;
  /** Logged once until traces are stored again. */
  let isBroken = false;

  function dropped(count: number, error?: unknown): void {
    if (isBroken) return;
    isBroken = true;
    log.error({ err: error, dropped: count }, 'traces of model calls could not be stored and are dropped');
  }

  async function store(batch: readonly Waiting[]): Promise<void> {
    try {
      const rows: TraceRow[] = [];
      for (const each of batch) rows.push(toRow(each, await createMask(run_secrets, each), prices));
      for (const row of rows) onTrace?.(row);
      await patiently(() => writeTraces(sql, rows));
      isBroken = false;
    } catch (error) {
      dropped(batch.length, error);
    }
  }

  async function storeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, ROWS_PER_STATEMENT);
      waiting = waiting.slice(ROWS_PER_STATEMENT);
      await store(batch);
    }
  }

  function begin(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    underWay ??= storeAll().finally(() => {
      underWay = undefined;
      if (waiting.length > 0) schedule();
    });
    return underWay;
  }

  function schedule(): void {
    if (underWay || timer) return;
    timer = setTimeout(() => void begin(), PAUSE_MS);
    timer.unref();
  }

  return {
    note(call, cause, secrets = {}) {
      if (waiting.length >= MAX_WAITING) return dropped(1);
      waiting.push({ call, cause, secrets });
      schedule();
    },
    flush: begin,
  };
}

async function patiently(write: () => Promise<void>): Promise<void> {
  for (let count = 1; ; count++) {
    try {
      return await write();
    } catch (error) {
      if (count === TRIES || !isConnectionLoss(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * 2 ** (count - 1)));
    }
  }
}

async function createMask(
  run_secrets: TraceWriterNeeds['run_secrets'],
  { cause, secrets }: Waiting,
): Promise<<T>(value: T) => T> {
  if (secrets.mask) return secrets.mask;
  const mask = new RunSecretsMask(await run_secrets.getSecrets(cause.user_id), secrets.secrets);
  return (value) => mask.mask(value);
}

const MAX_INTEGER = 2 ** 31 - 1;
const countable = (count: number | undefined): number | null =>
  count === undefined ? null : Math.min(Math.max(0, Math.round(count)), MAX_INTEGER);
/** A clock that is set back during a call would make its duration negative. */
const wholeMs = (ms: number): number => Math.max(0, Math.round(ms));

function toRow(
  { call, cause }: Waiting,
  mask: <T>(value: T) => T,
  prices: TraceWriterNeeds['prices'],
): TraceRow {
  const request = traceBody(call.request, mask);
  const response = call.response === null ? undefined : traceBody(call.response, mask);
  const shown = (text: string | null | undefined) =>
    typeof text === 'string' ? storableText(mask(text)) : null;
  return {
    // Sorts calls of the same millisecond in the order in which they ended.
    id: newOrderedId(call.started_at_ms),
    user_id: cause.user_id,
    source: cause.source,
    request_type: call.request_type,
    provider: call.provider ?? null,
    model: storableText(mask(call.model)),
    credential_id: cause.credential?.id ?? null,
    credential_name: cause.credential?.name ?? null,
    workflow_id: cause.workflow?.id ?? null,
    workflow_name: cause.workflow?.name ?? null,
    run_id: cause.run_id ?? null,
    node_id: shown(cause.node?.id),
    node_label: shown(cause.node?.label),
    step: shown(cause.step),
    execution_key: shown(cause.execution_key),
    budget_ids: cause.budget_ids?.length ? cause.budget_ids.map((id) => storableText(mask(id))) : null,
    request: JSON.stringify(request.value),
    response: response === undefined ? null : JSON.stringify(response.value),
    is_cut: request.is_cut || response?.is_cut === true,
    error: shown(call.error),
    prompt_tokens: countable(call.usage?.prompt_tokens),
    completion_tokens: countable(call.usage?.completion_tokens),
    total_tokens: countable(call.usage?.total_tokens),
    cached_tokens: call.usage ? countable(call.usage.cached_tokens ?? 0) : null,
    cost_usd: computeCost(call, prices) ?? call.cost_usd ?? null,
    elapsed_ms: wholeMs(call.elapsed_ms),
    created_at: new Date(call.started_at_ms).toISOString(),
  };
}
