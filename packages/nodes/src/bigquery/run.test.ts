import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import { routedEgress } from '../testing/routed-egress.ts';
import { runNode } from '../testing/run-node.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';
import { bigquery, isReadingQuery } from './definition.ts';

const BASE = '/bigquery/v2/projects/proj-1';
const schema = {
  fields: [
    { name: 'id', type: 'INTEGER' },
    { name: 'big', type: 'INTEGER' },
    { name: 'price', type: 'FLOAT' },
    { name: 'exact', type: 'NUMERIC' },
    { name: 'ok', type: 'BOOLEAN' },
    { name: 'at', type: 'TIMESTAMP' },
    { name: 'tags', type: 'STRING', mode: 'REPEATED' },
    { name: 'who', type: 'RECORD', fields: [{ name: 'name', type: 'STRING' }] },
    { name: 'doc', type: 'JSON' },
    { name: 'none', type: 'STRING' },
  ],
};
const cells = (id: number) => ({
  f: [
    String(id),
    '9007199254740993',
    '1.5',
    '1.10',
    'true',
    '1767323045000123',
    [{ v: 'ä' }, { v: 'b' }],
    { f: [{ v: 'Zoë' }] },
    '{"a": [1]}',
    null,
  ].map((v) => ({ v })),
});
const row = (id: number) => ({
  id,
  big: '9007199254740993',
  price: 1.5,
  exact: '1.10',
  ok: true,
  at: '2026-01-02T03:04:05.000123Z',
  tags: ['ä', 'b'],
  who: { name: 'Zoë' },
  doc: { a: [1] },
  none: null,
});
const jobReference = { projectId: 'proj-1', jobId: 'job_1', location: 'EU' };
const refusal = (status: number, message: string): ServerAnswer => ({
  status,
  body: { error: { code: status, message } },
});

/** Strict about what https://cloud.google.com/bigquery/docs/reference/rest describes. */
function bigqueryApi({ method, path, headers, query, body }: SeenRequest): ServerAnswer {
  if (headers['authorization'] !== 'Bearer canary-token') return refusal(401, 'Invalid Credentials');
  const asked = (body ?? {}) as JsonObject;
  switch (`${method} ${path}`) {
    case `POST ${BASE}/queries`: {
      if (asked['useLegacySql'] !== false || String(asked['requestId']).length !== 36)
        return refusal(400, 'requestId');
      if (asked['query'] === 'SELECT nothing') return refusal(400, 'Unrecognized name: nothing at [1:8]');
      if (asked['query'] === 'SELECT slow') return { body: { jobComplete: false, jobReference } };
      if (String(asked['query']).startsWith('DELETE')) {
        return { body: { jobComplete: true, jobReference, numDmlAffectedRows: '3', totalRows: '0' } };
      }
      return {
        body: {
          jobComplete: true,
          jobReference,
          schema,
          totalRows: '3',
          rows: [cells(1), cells(2)],
          pageToken: 'p2',
        },
      };
    }
    case `GET ${BASE}/queries/job_1`:
      if (query['location'] !== 'EU') return refusal(404, 'Not found: Job');
      if (query['pageToken'] === 'p2')
        return { body: { jobComplete: true, jobReference, schema, totalRows: '3', rows: [cells(3)] } };
      return { body: { jobComplete: true, jobReference, schema, totalRows: '1', rows: [cells(1)] } };
    case `POST ${BASE}/datasets/d1/tables/t1/insertAll`: {
      const rows = asked['rows'] as { insertId: string; json: { bad?: boolean } }[];
      if (rows.some(({ insertId }) => insertId.length !== 32)) return refusal(400, 'insertId');
      const bad = rows.findIndex(({ json }) => json.bad);
      if (bad < 0) return { body: { kind: 'bigquery#tableDataInsertAllResponse' } };
      const stopped = { reason: 'stopped', location: '', message: '' };
      const invalid = { reason: 'invalid', location: 'bad', message: 'no such field: bad.' };
      return {
        body: {
          insertErrors: rows.map((_, index) => ({ index, errors: [index === bad ? invalid : stopped] })),
        },
      };
    }
    case 'GET /bigquery/v2/projects':
      return query['pageToken']
        ? { body: { projects: [{ projectReference: { projectId: 'p-2' } }] } }
        : {
            body: {
              projects: [{ projectReference: { projectId: 'p-1' }, friendlyName: 'One' }],
              nextPageToken: 'n',
            },
          };
    case 'GET /bigquery/v2/projects/p-1/datasets':
      return { body: { kind: 'bigquery#datasetList' } };
    default:
      return refusal(404, 'Not found');
  }
}

async function run(data: JsonObject) {
  const server = await serveJson(bigqueryApi);
  const result = await runNode(
    'bigquery',
    { credentialId: 'c', bqProjectId: 'proj-1', bqDatasetId: 'd1', bqTableId: 't1', ...data },
    {
      services: {
        http: routedEgress({ 'bigquery.googleapis.com': server.url }),
        credential: (id) =>
          Promise.resolve({ id, name: 'g', type: 'bigquery', values: { access_token: 'canary-token' } }),
      },
    },
  );
  return { result, seen: server.seen };
}

test('rows of all pages have the types of their columns', async () => {
  const { result, seen } = await run({ bqQuery: 'SELECT * FROM t' });
  expect(result).toEqual({
    output: { rows: [row(1), row(2), row(3)], totalRows: 3, total: 3, schema, success: true },
  });
  expect(seen[0]?.body).toMatchObject({ maxResults: 1000, formatOptions: { useInt64Timestamp: true } });
});

test('no more rows are read than wanted', async () => {
  const { result, seen } = await run({ bqQuery: 'SELECT * FROM t', bqMaxResults: '2' });
  expect(result).toMatchObject({ output: { rows: [{ id: 1 }, { id: 2 }], totalRows: 3 } });
  expect(seen).toHaveLength(1);
});

test('a query that takes long is waited for where it runs', async () => {
  expect((await run({ bqQuery: 'SELECT slow' })).result).toMatchObject({ output: { rows: [{ id: 1 }] } });
});

test('a statement says how many rows it changed', async () => {
  const { result } = await run({ bqQuery: 'DELETE FROM t WHERE true' });
  expect(result).toMatchObject({ output: { rows: [], schema: null, affectedRows: 3 } });
});

test('a refused query fails in the words of Google', async () => {
  expect((await run({ bqQuery: 'SELECT nothing' })).result).toMatchObject({
    failure: { message: expect.stringContaining('Unrecognized name: nothing at [1:8]') },
  });
});

test('rows are inserted, 500 at once, each with an id of its own', async () => {
  const rows = Array.from({ length: 501 }, (_, n) => ({ n }));
  const { result, seen } = await run({ bqOperation: 'insertRows', bqRows: JSON.stringify(rows) });
  expect(result).toEqual({ output: { insertedCount: 501, success: true } });
  const sent = seen.flatMap(({ body }) => (body as { rows: { insertId: string; json: object }[] }).rows);
  expect(seen).toHaveLength(2);
  expect(new Set(sent.map(({ insertId }) => insertId)).size).toBe(501);
  expect(sent.map(({ json }) => json)).toEqual(rows);
});

test('one row may be given field by field', async () => {
  const data = { bqRowsInputMode: 'selective', bqMappings: [{ key: 'name', value: 'Zoë' }] };
  const { result, seen } = await run({ bqOperation: 'insertRows', ...data });
  expect(result).toMatchObject({ output: { insertedCount: 1 } });
  expect(seen[0]?.body).toMatchObject({ rows: [{ json: { name: 'Zoë' } }] });
});

test('a refused row fails, is named, and what was inserted before is told', async () => {
  const rows = Array.from({ length: 502 }, (_, n) => (n === 501 ? { bad: true } : { n }));
  const { result } = await run({ bqOperation: 'insertRows', bqRows: JSON.stringify(rows) });
  expect(result).toMatchObject({
    failure: {
      message: 'BigQuery refused row 502, column bad: no such field: bad.. The first 500 rows were inserted.',
      details: { row: 502, inserted: 500 },
    },
  });
});

test.each([
  ['SELECT 1', true],
  ['  -- why\n WITH x AS (SELECT 1) SELECT * FROM x;', true],
  ['/* a */ (SELECT 1) UNION ALL (SELECT 2)', true],
  ['SELECT 1; DROP TABLE t', false],
  ['INSERT INTO t SELECT 1', false],
  ['$input.query', false],
])('%j only reads: %s', (query, reads) => {
  expect(isReadingQuery(query)).toBe(reads);
  expect(bigquery.effect).toBeTypeOf('function');
});

test('projects are listed on all pages, and a project without datasets has none', async () => {
  const server = await serveJson(bigqueryApi);
  const caller = {
    http: routedEgress({ 'bigquery.googleapis.com': server.url }),
    now: () => 0,
    sleepUntil: () => Promise.resolve(),
    signal: new AbortController().signal,
    max_wait_ms: 0,
    idempotency_key: '',
  };
  const context = { caller, config: { access_token: 'canary-token' } };
  const choices = implementations.get('bigquery')?.choices;
  const asked = { params: { bqProjectId: 'p-1' }, search: '', cursor: null };
  expect(await choices?.['projects']?.(context, asked)).toMatchObject({
    items: [
      { value: 'p-1', label: 'One' },
      { value: 'p-2', label: 'p-2' },
    ],
  });
  expect(await choices?.['datasets']?.(context, asked)).toMatchObject({ items: [] });
});
