import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import type { z } from 'zod';
import { type ChoiceContext, type ChoiceRequest, implement, type NodeCall } from '../implement.ts';
import { buildConnection, callJson, path } from '../kit/integration/call-json.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { connectGoogle, type Google, strangeAnswer } from '../kit/integration/google.ts';
import { readCount, readList, readObject, requiredText } from '../kit/integration/object-input.ts';
import { collect, listIn } from '../kit/integration/paging.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { bigqueryCredential } from './credential.ts';
import { bigquery, isReadingQuery } from './definition.ts';
import { toRow } from './rows.ts';

type Params = z.output<typeof bigquery.params>;
type Operation = Params['bqOperation'];

/** https://cloud.google.com/bigquery/docs/reference/rest */
interface BigQuery {
  readonly params: Params;
  readonly call: Google['call'];
  /** The same for every repetition of the node. */
  readonly key: string;
}

const TITLE = 'BigQuery';
const MOST_ROWS = 100_000;
const PAGE_ROWS = 10_000;
/** How long Google holds one request for a result. */
const HOLD_MS = 20_000;
/** Google recommends no more in one request. */
const INSERTED_AT_ONCE = 500;

export const runBigquery = implement(
  bigquery,
  async (node: NodeCall<Params>) => {
    const { call } = await connectGoogle(node, { title: TITLE, credential: bigqueryCredential });
    const output = await OPERATIONS[node.params.bqOperation]({
      params: node.params,
      call,
      key: node.idempotency_key,
    });
    return { output: { ...output, success: true } };
  },
  { choices: { projects, datasets, tables } },
);

const OPERATIONS: Readonly<Record<Operation, (bigquery: BigQuery) => Promise<JsonObject>>> = {
  async query({ params, call, key }) {
    const query = requiredText(params, 'bqQuery');
    const most = readCount(params, 'bqMaxResults', { most: MOST_ROWS, usual: 1_000 });
    const project = projectPath(params);
    const { body } = await call({
      method: 'POST',
      path: `${project}/queries`,
      body: {
        query,
        useLegacySql: false,
        maxResults: Math.min(most, PAGE_ROWS),
        timeoutMs: HOLD_MS,
        formatOptions: { useInt64Timestamp: true },
        // Google carries out requests with the same id once.
        requestId: createHash('sha256').update(`${key} ${query}`).digest('hex').slice(0, 36),
      },
      effect: isReadingQuery(query) ? 'read' : 'idempotent',
    });
    return collectResult({ call, project, most }, await finished({ call, project }, body));
  },
  async insertRows({ params, call, key }) {
    const rows = readRows(params);
    const [dataset, table] = [requiredText(params, 'bqDatasetId'), requiredText(params, 'bqTableId')];
    const address = `${projectPath(params)}${path`/datasets/${dataset}/tables/${table}/insertAll`}`;
    for (let at = 0; at < rows.length; at += INSERTED_AT_ONCE) {
      const { body } = await call({
        method: 'POST',
        path: address,
        body: {
          rows: rows.slice(at, at + INSERTED_AT_ONCE).map((json, index) => ({
            // Rows with the same id are taken once for about a minute, so a lost answer does no harm.
            insertId: createHash('sha256')
              .update(`${key} ${at + index}`)
              .digest('hex')
              .slice(0, 32),
            json,
          })),
        },
        effect: 'idempotent',
      });
      requireInserted(body, at);
    }
    return { insertedCount: rows.length };
  },
};

interface Job {
  readonly call: Google['call'];
  readonly project: string;
}

/** Where the results of a query are. */
function resultsPath(
  { project }: Pick<Job, 'project'>,
  answer: JsonObject,
): { path: string; location?: string } {
  const job = isJsonObject(answer['jobReference']) ? answer['jobReference'] : {};
  const { jobId, location } = job;
  if (typeof jobId !== 'string') throw strangeAnswer(TITLE, 'the id of the query');
  return {
    path: `${project}${path`/queries/${jobId}`}`,
    ...(typeof location === 'string' ? { location } : {}),
  };
}

/** Asks until the query has ended; the time limit of the node ends a query that takes too long. */
async function finished({ call, project }: Job, first: Json): Promise<JsonObject> {
  let answer = first;
  for (;;) {
    if (!isJsonObject(answer)) throw strangeAnswer(TITLE, 'a result');
    if (answer['jobComplete'] !== false) return answer;
    const { path: address, location } = resultsPath({ project }, answer);
    const asked = await call({
      path: address,
      query: {
        location,
        timeoutMs: HOLD_MS,
        maxResults: PAGE_ROWS,
        'formatOptions.useInt64Timestamp': true,
      },
      effect: 'read',
    });
    answer = asked.body;
  }
}

async function collectResult(
  { call, project, most }: Job & { most: number },
  answer: JsonObject,
): Promise<JsonObject> {
  const schema = isJsonObject(answer['schema']) ? answer['schema'] : null;
  const columns = schema?.['fields'] ?? [];
  const rows = await collect(async (next: string | undefined) => {
    let page: Json = answer;
    if (next !== undefined) {
      const { path: address, location } = resultsPath({ project }, answer);
      const query = {
        location,
        pageToken: next,
        maxResults: PAGE_ROWS,
        'formatOptions.useInt64Timestamp': true,
      };
      page = (await call({ path: address, query, effect: 'read' })).body;
    }
    const { rows: found = [], pageToken } = isJsonObject(page) ? page : {};
    return {
      items: (Array.isArray(found) ? found : []).map((row) => toRow(columns, row)),
      next: typeof pageToken === 'string' && pageToken !== '' ? pageToken : undefined,
    };
  }, most);
  const totalRows = Number(answer['totalRows'] ?? rows.length);
  const affected = answer['numDmlAffectedRows'];
  return {
    rows,
    totalRows,
    total: totalRows,
    schema,
    ...(affected === undefined ? {} : { affectedRows: Number(affected) }),
  };
}

function readRows(params: Params): JsonObject[] {
  const names = { mode: 'bqRowsInputMode', raw: 'bqRows', selective: 'bqMappings' } as const;
  if (params.bqRowsInputMode === 'selective') return [readObject(params, names)];
  return readList(params, 'bqRows').map((row, index) => {
    if (isJsonObject(row)) return row;
    throw refusedParam('bqRows', `row ${index + 1} must be an object by the names of columns`);
  });
}

/** An answer with status 200 may refuse rows; then none of this request is stored. */
function requireInserted(body: Json, before: number): void {
  const errors = isJsonObject(body) && Array.isArray(body['insertErrors']) ? body['insertErrors'] : [];
  const found = errors
    .filter(isJsonObject)
    .flatMap(({ index, errors: reasons }) =>
      (Array.isArray(reasons) ? reasons : [])
        .filter(isJsonObject)
        .map((reason): JsonObject => ({ index: index ?? 0, ...reason })),
    );
  // Good rows beside bad ones are refused with the reason "stopped".
  const [first] = [...found.filter((entry) => readReason(entry) !== 'stopped'), ...found];
  if (!first) {
    if (errors.length === 0) return;
    throw new NodeFailure({ kind: 'upstream', message: `${TITLE} refused ${errors.length} rows` });
  }
  const { index, location, message } = first;
  const row = before + Number(index) + 1;
  const place = typeof location === 'string' && location !== '' ? `, column ${location}` : '';
  const said = typeof message === 'string' && message !== '' ? message : readReason(first);
  const stored = before === 0 ? 'No row was inserted' : `The first ${before} rows were inserted`;
  throw new NodeFailure({
    kind: 'upstream',
    message: `${TITLE} refused row ${row}${place}: ${said}. ${stored}.`,
    details: { row, inserted: before },
  });
}

const readReason = (error: JsonObject): string =>
  typeof error['reason'] === 'string' ? error['reason'] : 'no reason given';

const projectPath = (params: Params): string => path`/projects/${requiredText(params, 'bqProjectId')}`;

/** One list of the API, all pages. */
async function listed({ caller, config }: ChoiceContext, address: string, key: string): Promise<Json[]> {
  const connection = buildConnection(TITLE, bigqueryCredential, config);
  return collect(async (next: string | undefined) => {
    const { body } = await callJson(caller, connection, {
      path: address,
      query: { maxResults: 1_000, pageToken: next },
      effect: 'read',
    });
    // A list without entries has no key at all.
    const items = isJsonObject(body) && key in body ? listIn(TITLE, body, key) : [];
    const token = isJsonObject(body) ? body['nextPageToken'] : undefined;
    return { items, next: typeof token === 'string' && token !== '' ? token : undefined };
  }, 5_000);
}

const part = (item: Json, outer: string, inner: string): Json | undefined => {
  const found = isJsonObject(item) ? item[outer] : undefined;
  return isJsonObject(found) ? found[inner] : undefined;
};

async function projects(context: ChoiceContext, request: ChoiceRequest) {
  const found = await listed(context, '/projects', 'projects');
  return choicesFrom(found, request, (project) => ({
    value: part(project, 'projectReference', 'projectId'),
    label: isJsonObject(project) ? project['friendlyName'] : undefined,
  }));
}

async function datasets(context: ChoiceContext, request: ChoiceRequest) {
  const project = request.params['bqProjectId'] ?? '';
  const found = await listed(context, path`/projects/${project}/datasets`, 'datasets');
  return choicesFrom(found, request, (dataset) => {
    const id = part(dataset, 'datasetReference', 'datasetId');
    return { value: id, label: id };
  });
}

async function tables(context: ChoiceContext, request: ChoiceRequest) {
  const { bqProjectId = '', bqDatasetId = '' } = request.params;
  const found = await listed(
    context,
    path`/projects/${bqProjectId}/datasets/${bqDatasetId}/tables`,
    'tables',
  );
  return choicesFrom(found, request, (table) => {
    const id = part(table, 'tableReference', 'tableId');
    return { value: id, label: id };
  });
}
