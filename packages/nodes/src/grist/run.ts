import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import type { z } from 'zod';
import { type ChoiceContext, type ChoiceRequest, implement, type NodeCall } from '../implement.ts';
import {
  buildConnection,
  type Caller,
  type Connection,
  callJson,
  type JsonAnswer,
  type JsonRequest,
  path,
} from '../kit/integration/call-json.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { readCount, readList, readObject, requiredText } from '../kit/integration/object-input.ts';
import { listIn } from '../kit/integration/paging.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { gristCredential } from './credential.ts';
import { DATA, FILTER, grist } from './definition.ts';

type Params = z.output<typeof grist.params>;
type Operation = Params['gristOperation'];

/** https://support.getgrist.com/api */
interface Grist {
  readonly params: Params;
  call(request: JsonRequest): Promise<JsonAnswer>;
}

const TITLE = 'Grist';
const MOST_RECORDS = 100_000;
const READ = { effect: 'read' } as const;

export const runGrist = implement(
  grist,
  async (call: NodeCall<Params>) => {
    const config = await readCredential(call, gristCredential);
    const connection = buildConnection(TITLE, gristCredential, config);
    const caller = createCaller(call);
    const operation = call.params.gristOperation;
    const output = await OPERATIONS[operation]({
      params: call.params,
      call: (request) => callJson(caller, connection, request),
    });
    return { output: { success: true, operation, ...output } };
  },
  { choices: { documents, tables } },
);

const OPERATIONS: Readonly<Record<Operation, (grist: Grist) => Promise<JsonObject>>> = {
  async getRecords({ params, call }) {
    const limit = readCount(params, 'gristLimit', { most: MOST_RECORDS, usual: 100 });
    const { body } = await call({
      path: `${buildTablePath(params)}/records`,
      query: { filter: formatFilter(readObject(params, FILTER)), sort: params.gristSort.trim(), limit },
      ...READ,
    });
    const records = listIn(TITLE, body, 'records');
    return { records, count: records.length };
  },
  async getRecord({ params, call }) {
    const filter = JSON.stringify({ id: [recordId(params)] });
    const { body } = await call({ path: `${buildTablePath(params)}/records`, query: { filter }, ...READ });
    const [record = null] = listIn(TITLE, body, 'records');
    return { record, found: record !== null };
  },
  async createRecord({ params, call }) {
    const fields = readObject(params, DATA);
    const [id = null] = await create({ params, call }, [fields]);
    return { record: { id, fields }, id };
  },
  async createRecords({ params, call }) {
    const rows = readList(params, 'gristRecordsData').map((row) => toRow(row).fields);
    const ids = await create({ params, call }, rows);
    return {
      records: rows.map((fields, index) => ({ id: ids[index] ?? null, fields })),
      count: ids.length,
      ids,
    };
  },
  async updateRecord({ params, call }) {
    const id = recordId(params);
    await change({ params, call }, [{ id, fields: readObject(params, DATA) }]);
    return { id };
  },
  async updateRecords({ params, call }) {
    const rows = readList(params, 'gristRecordsData').map(toRow);
    const withoutId = rows.findIndex(({ id }) => id === null);
    if (withoutId >= 0) throw refusedParam('gristRecordsData', `entry ${withoutId + 1} lacks its id`);
    await change({ params, call }, rows);
    return { count: rows.length };
  },
  async deleteRecord({ params, call }) {
    const ids = readList(params, 'gristRecordIds').map((id) => toPositiveInteger('gristRecordIds', id));
    if (ids.length > 0) {
      await call({
        method: 'POST',
        path: `${buildTablePath(params)}/data/delete`,
        body: ids,
        effect: 'idempotent',
      });
    }
    return { deleted: ids, count: ids.length };
  },
  async listTables({ params, call }) {
    const { body } = await call({ path: `${buildDocumentPath(params)}/tables`, ...READ });
    const found = listIn(TITLE, body, 'tables');
    return { tables: found, count: found.length };
  },
  async listColumns({ params, call }) {
    const { body } = await call({ path: `${buildTablePath(params)}/columns`, ...READ });
    const columns = listIn(TITLE, body, 'columns');
    return { columns, count: columns.length };
  },
};

async function create({ params, call }: Grist, rows: readonly JsonObject[]): Promise<Json[]> {
  const { body } = await call({
    method: 'POST',
    path: `${buildTablePath(params)}/records`,
    body: { records: rows.map((fields) => ({ fields })) },
    effect: 'unsafe',
  });
  return listIn(TITLE, body, 'records').map((record) =>
    isJsonObject(record) ? (record['id'] ?? null) : null,
  );
}

async function change({ params, call }: Grist, records: readonly Row[]): Promise<void> {
  await call({
    method: 'PATCH',
    path: `${buildTablePath(params)}/records`,
    body: { records },
    effect: 'idempotent',
  });
}

const buildDocumentPath = (params: Params): string => path`/docs/${requiredText(params, 'gristDocId')}`;

const buildTablePath = (params: Params): string =>
  `${buildDocumentPath(params)}${path`/tables/${requiredText(params, 'gristTableId')}`}`;

const recordId = (params: Params): number =>
  toPositiveInteger('gristRecordId', requiredText(params, 'gristRecordId'));

/** Grist compares with a list of values per column; a single value stands for a list of one. */
function formatFilter(filter: JsonObject): string | undefined {
  const entries = Object.entries(filter);
  if (entries.length === 0) return undefined;
  return JSON.stringify(
    Object.fromEntries(entries.map(([column, value]) => [column, Array.isArray(value) ? value : [value]])),
  );
}

interface Row {
  readonly id: Json;
  readonly fields: JsonObject;
}

/** Either `{id, fields}` as Grist writes it or the values themselves, with the id among them. */
function toRow(row: Json): Row {
  if (!isJsonObject(row)) throw refusedParam('gristRecordsData', 'must be a list of objects');
  const { id = null, ...rest } = row;
  return { id, fields: isJsonObject(rest['fields']) ? rest['fields'] : rest };
}

function toPositiveInteger(field: string, value: Json): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number > 0) return number;
  throw refusedParam(field, `must hold numbers of records, not ${JSON.stringify(value).slice(0, 40)}`);
}

async function ask(caller: Caller, connection: Connection, address: string): Promise<Json> {
  return (await callJson(caller, connection, { path: address, ...READ })).body;
}

/** Documents of every workspace that the credential sees, named with their workspace. */
async function documents({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const connection = buildConnection(TITLE, gristCredential, config);
  const orgs = listIn(TITLE, await ask(caller, connection, '/orgs'));
  const found: Json[] = [];
  for (const org of orgs) {
    const id = isJsonObject(org) ? org['id'] : undefined;
    if (typeof id !== 'string' && typeof id !== 'number') continue;
    found.push(...listIn(TITLE, await ask(caller, connection, path`/orgs/${id}/workspaces`)));
  }
  const items = found.flatMap((workspace) => {
    const { name, docs } = isJsonObject(workspace) ? workspace : {};
    return (Array.isArray(docs) ? docs : []).map((doc) => ({
      doc,
      hint: readText(name),
    }));
  });
  return choicesFrom(items, request, ({ doc, hint }) =>
    isJsonObject(doc) ? { value: doc['id'], label: doc['name'], hint } : {},
  );
}

async function tables({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const connection = buildConnection(TITLE, gristCredential, config);
  const address = `${path`/docs/${request.params['gristDocId'] ?? ''}`}/tables`;
  const found = listIn(TITLE, await ask(caller, connection, address), 'tables');
  return choicesFrom(found, request, (table) =>
    isJsonObject(table) ? { value: table['id'], label: table['id'] } : {},
  );
}
