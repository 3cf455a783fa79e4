import type { Json, JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import { choiceContext } from '../testing/choice-context.ts';
import { realEgress } from '../testing/real-egress.ts';
import { runNode } from '../testing/run-node.ts';
import { runWorkflow } from '../testing/run-workflow.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';

const TABLE = '/api/docs/doc1/tables/Orders';
const RECORDS = [{ id: 7, fields: { Name: 'Ada', Total: 12.5 } }];

/** Strict about paths, verbs and the key, as https://support.getgrist.com/api describes them. */
function gristApi({ method, path, headers, body }: SeenRequest): ServerAnswer {
  if (headers['authorization'] !== 'Bearer canary-key')
    return { status: 401, body: { error: 'invalid API key' } };
  switch (`${method} ${path}`) {
    case `GET ${TABLE}/records`:
      return { body: { records: RECORDS } };
    case `POST ${TABLE}/records`: {
      const { records } = body as { records: unknown[] };
      return { body: { records: records.map((_, index) => ({ id: 8 + index })) } };
    }
    case `PATCH ${TABLE}/records`:
    case `POST ${TABLE}/data/delete`:
      return { body: null };
    case `GET ${TABLE}/columns`:
      return { body: { columns: [{ id: 'Name', fields: { label: 'Name' } }] } };
    case 'GET /api/docs/doc1/tables':
      return {
        body: {
          tables: [
            { id: 'Orders', fields: {} },
            { id: 'People', fields: {} },
          ],
        },
      };
    case 'GET /api/orgs':
      return { body: [{ id: 3, name: 'Company' }] };
    case 'GET /api/orgs/3/workspaces':
      return {
        body: [
          {
            name: 'Sales',
            docs: Array.from({ length: 60 }, (_, n) => ({ id: `doc${n}`, name: `Doc ${n}` })),
          },
        ],
      };
    default:
      return { status: 404, body: { error: 'not found' } };
  }
}

async function run(data: JsonObject, inputs: Record<string, Json> = {}, key = 'canary-key') {
  const server = await serveJson(gristApi);
  const result = await runNode(
    'grist',
    { credentialId: 'c', gristDocId: 'doc1', gristTableId: 'Orders', ...data },
    {
      inputs,
      services: {
        http: realEgress(),
        credential: (id) =>
          Promise.resolve({
            id,
            name: 'g',
            type: 'grist',
            values: { api_key: key, server_url: `${server.url}/` },
          }),
      },
    },
  );
  return { result, seen: server.seen };
}

test.each<[string, JsonObject, JsonObject, Partial<SeenRequest>]>([
  [
    'getRecords',
    { gristFilter: '{"Name": "Ada", "Total": [1, 2]}', gristSort: '-Total', gristLimit: '5' },
    { records: RECORDS, count: 1 },
    { method: 'GET', query: { filter: '{"Name":["Ada"],"Total":[1,2]}', sort: '-Total', limit: '5' } },
  ],
  [
    'getRecord',
    { gristRecordId: '7' },
    { record: RECORDS[0] ?? null, found: true },
    { query: { filter: '{"id":[7]}' } },
  ],
  [
    'createRecord',
    { gristRecordData: '{"Name": "Zoë"}' },
    { record: { id: 8, fields: { Name: 'Zoë' } }, id: 8 },
    { method: 'POST', body: { records: [{ fields: { Name: 'Zoë' } }] } },
  ],
  [
    'createRecords',
    { gristRecordsData: '[{"Name": "a"}, {"fields": {"Name": "b"}}]' },
    {
      records: [
        { id: 8, fields: { Name: 'a' } },
        { id: 9, fields: { Name: 'b' } },
      ],
      count: 2,
      ids: [8, 9],
    },
    { method: 'POST', body: { records: [{ fields: { Name: 'a' } }, { fields: { Name: 'b' } }] } },
  ],
  [
    'updateRecord',
    { gristRecordId: '7', gristRecordData: '{"Total": 9007199254740991}' },
    { id: 7 },
    { method: 'PATCH', body: { records: [{ id: 7, fields: { Total: 9007199254740991 } }] } },
  ],
  [
    'updateRecords',
    { gristRecordsData: '[{"id": 7, "Total": 1}]' },
    { count: 1 },
    { method: 'PATCH', body: { records: [{ id: 7, fields: { Total: 1 } }] } },
  ],
  [
    'deleteRecord',
    { gristRecordIds: '[7, "8"]' },
    { deleted: [7, 8], count: 2 },
    { method: 'POST', body: [7, 8] },
  ],
  [
    'listTables',
    {},
    {
      tables: [
        { id: 'Orders', fields: {} },
        { id: 'People', fields: {} },
      ],
      count: 2,
    },
    { method: 'GET' },
  ],
  ['listColumns', {}, { columns: [{ id: 'Name', fields: { label: 'Name' } }], count: 1 }, { method: 'GET' }],
])(
  '%s asks as the API describes and gives the outputs of the facts',
  async (operation, data, output, request) => {
    const { result, seen } = await run({ gristOperation: operation, ...data });
    expect(result).toEqual({ output: { success: true, operation, ...output } });
    expect(seen).toMatchObject([request]);
  },
);

test('values put together field by field keep their types', async () => {
  const { seen } = await run(
    {
      gristOperation: 'createRecord',
      gristRecordDataInputMode: 'selective',
      gristRecordDataMappings: [
        { key: 'Name', value: '$start.name' },
        { key: 'Total', value: '$start.total' },
      ],
    },
    { start: { name: 'say "hi"', total: 3 } },
  );
  expect(seen[0]?.body).toEqual({ records: [{ fields: { Name: 'say "hi"', Total: 3 } }] });
});

test('a whole object of an expression is the data', async () => {
  const { seen } = await run(
    { gristOperation: 'createRecord', gristRecordData: '$start.row' },
    { start: { row: { Name: 'x', Tags: ['L', 'a'] } } },
  );
  expect(seen[0]?.body).toEqual({ records: [{ fields: { Name: 'x', Tags: ['L', 'a'] } }] });
});

test('an export in selective mode that kept its JSON is read from it', async () => {
  const data = { gristRecordDataInputMode: 'selective', gristRecordData: '{"Name": "x"}' };
  const { seen } = await run({ gristOperation: 'createRecord', ...data });
  expect(seen[0]?.body).toEqual({ records: [{ fields: { Name: 'x' } }] });
});

test.each<[JsonObject, string]>([
  [{ gristOperation: 'createRecord', gristRecordData: '[1]' }, 'gristRecordData'],
  [{ gristOperation: 'createRecord', gristRecordData: '{' }, 'gristRecordData'],
  [{ gristOperation: 'createRecords', gristRecordsData: '{}' }, 'gristRecordsData'],
  [{ gristOperation: 'updateRecords', gristRecordsData: '[{"Total": 1}]' }, 'gristRecordsData'],
  [{ gristOperation: 'getRecord', gristRecordId: 'seven' }, 'gristRecordId'],
  [{ gristOperation: 'getRecords', gristTableId: '$start.none' }, 'gristTableId'],
  [{ gristOperation: 'dropTable' }, 'gristOperation'],
])('%o fails before anything is asked, and names %s', async (data, field) => {
  const { result, seen } = await run(data, { start: { none: '' } });
  expect(result).toMatchObject({ failure: { kind: 'params', field } });
  expect(seen).toEqual([]);
});

test('a document id cannot leave its place in the address', async () => {
  const { seen } = await run({ gristOperation: 'listTables', gristDocId: 'doc1/../../orgs?x=' });
  expect(seen[0]?.path).toBe('/api/docs/doc1%2F..%2F..%2Forgs%3Fx%3D/tables');
});

test('a refused key is a problem of the credential', async () => {
  const { result } = await run({}, {}, 'old-key');
  expect(result).toMatchObject({
    failure: { kind: 'credential', final: true, message: expect.stringContaining('invalid API key') },
  });
});

test('another type of credential is refused by name', async () => {
  const result = await runNode(
    'grist',
    { credentialId: 'c', gristDocId: 'd', gristTableId: 't' },
    { services: { credential: (id) => Promise.resolve({ id, name: 'g', type: 'smtp', values: {} }) } },
  );
  expect(result).toMatchObject({
    failure: { kind: 'credential', message: expect.stringContaining('type grist') },
  });
});

test.each([
  ['getRecords', undefined, 'read'],
  ['updateRecord', undefined, 'idempotent'],
  ['createRecord', undefined, 'unsafe'],
  ['createRecord', 'repeat', 'idempotent'],
  ['unknown', undefined, 'unsafe'],
])('%s with %s has the effect %s', (gristOperation, onUnknownOutcome, effect) => {
  const { definition } = implementations.get('grist') ?? {};
  const told = typeof definition?.effect === 'function' ? definition.effect : () => definition?.effect;
  expect(told({ gristOperation, ...(onUnknownOutcome ? { onUnknownOutcome } : {}) })).toBe(effect);
});

test('documents and tables can be chosen, with search and pages', async () => {
  const server = await serveJson(gristApi);
  const { choices } = implementations.get('grist') ?? {};
  const context = choiceContext(realEgress(), { api_key: 'canary-key', server_url: server.url });
  const ask = (list: string, more = {}) =>
    choices?.[list]?.(context, { params: { gristDocId: 'doc1' }, search: '', cursor: null, ...more });
  const first = await ask('documents');
  expect(first).toMatchObject({ next_cursor: '50' });
  expect(first?.items[0]).toEqual({ value: 'doc0', label: 'Doc 0', hint: 'Sales' });
  expect(await ask('documents', { cursor: '50' })).toMatchObject({
    items: { length: 10 },
    next_cursor: null,
  });
  expect(await ask('documents', { search: 'doc 59' })).toMatchObject({ items: [{ value: 'doc59' }] });
  expect(await ask('tables')).toMatchObject({ items: [{ value: 'Orders' }, { value: 'People' }] });
});

test('a field that its operation does not use cannot be wrong', async () => {
  const run = await runWorkflow('start -> g', {
    start: { type: 'textInput' },
    g: { type: 'grist', credentialId: 'c', gristOperation: 'listTables', gristDocId: 'd', gristTableId: '' },
  });
  expect(run.statuses).toMatchObject({ g: 'error' });
  expect(JSON.stringify(run.outputs)).toContain('credential c not found');
});
