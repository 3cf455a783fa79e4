import type { ModelCallNote } from '@millrace/models';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { noteConnectionError } from '../../database/connection-loss.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import { NO_SECRETS } from '../../ports/run/run-secrets.ts';
import { createTraceWriter } from './trace-writer.ts';
import type { TraceRow } from './write-traces.ts';

const call: ModelCallNote = {
  request_type: 'chat',
  provider: 'openai',
  model: 'gpt-4o',
  request: { system: 'x' },
  response: { text: 'y' },
  error: null,
  usage: { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 },
  started_at_ms: 0,
  elapsed_ms: 12.4,
};
const cause = { user_id: 'u', source: 'workflow', credential: null } as const;

function world(write: (rows: TraceRow[], count: number) => void) {
  const logged: string[] = [];
  let count = 0;
  const sql: SqlClient = {
    async query({ values }) {
      write(JSON.parse(String(values?.[0])) as TraceRow[], count++);
      return { rows: [], row_count: 0 };
    },
  };
  const traces = createTraceWriter({
    sql,
    run_secrets: { getSecrets: () => NO_SECRETS },
    log: pino({ level: 'error' }, { write: (line: string) => void logged.push(line) }),
    prices: {},
  });
  return { traces, logged };
}

test('calls that end together are written in one statement, with their price', async () => {
  const written: TraceRow[][] = [];
  const { traces } = world((rows) => written.push(rows));
  traces.note(call, cause);
  traces.note({ ...call, model: 'unknown' }, cause);
  traces.note({ ...call, cost_usd: 9 }, cause);
  traces.note({ ...call, model: 'unknown', cost_usd: 0.5 }, cause);
  expect(written).toEqual([]);
  await traces.flush();
  expect(written).toHaveLength(1);
  expect(written[0]).toMatchObject([
    { model: 'gpt-4o', cost_usd: 2.5, elapsed_ms: 12, request: '{"system":"x"}', is_cut: false },
    { model: 'unknown', cost_usd: null },
    { model: 'gpt-4o', cost_usd: 2.5 },
    { model: 'unknown', cost_usd: 0.5 },
  ]);
});

test('traces that cannot be stored are dropped, and the log says so once until it works again', async () => {
  let isBroken = true;
  const written: TraceRow[] = [];
  const { traces, logged } = world((rows) => {
    if (isBroken) throw new Error('no table');
    written.push(...rows);
  });
  for (let count = 0; count < 3; count++) {
    traces.note(call, cause);
    await traces.flush();
  }
  expect(logged).toHaveLength(1);
  isBroken = false;
  traces.note(call, cause);
  await traces.flush();
  expect(written).toHaveLength(1);
  isBroken = true;
  traces.note(call, cause);
  await traces.flush();
  expect(logged).toHaveLength(2);
});

test('a database that is away for a moment gets the traces later', async () => {
  const written: TraceRow[] = [];
  const { traces, logged } = world((rows, count) => {
    if (count === 0) throw noteConnectionError(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    written.push(...rows);
  });
  traces.note(call, cause);
  await traces.flush();
  expect(written).toHaveLength(1);
  expect(logged).toEqual([]);
});

test('more traces than may wait are dropped instead of filling the memory', async () => {
  const written: TraceRow[] = [];
  const { traces, logged } = world((rows) => written.push(...rows));
  for (let count = 0; count < 600; count++) traces.note(call, cause);
  await traces.flush();
  expect(written).toHaveLength(500);
  expect(logged).toHaveLength(1);
});

test('text that the database would refuse is stored without what it refuses', async () => {
  const written: TraceRow[] = [];
  const { traces } = world((rows) => written.push(...rows));
  traces.note({ ...call, response: null, error: 'a\u0000b\ud800', model: 'm\u0000' }, cause);
  await traces.flush();
  expect(written).toMatchObject([{ error: 'ab\ufffd', model: 'm', response: null }]);
});
