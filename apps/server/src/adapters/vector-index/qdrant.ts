import { isJsonObject, type Json, type JsonObject, NodeFailure, readText } from '@millrace/engine';
import { type Caller, type Connection, callJson, path } from '@millrace/nodes/runtime';
import type {
  FilterValue,
  FoundPoint,
  MetadataFilter,
  StoredPoint,
  VectorIndex,
  VectorPoint,
} from '../../ports/vector-index.ts';

export interface QdrantCollection {
  readonly caller: Caller;
  readonly connection: Connection;
  readonly collection: string;
  readonly dimensions: number;
}

/** Points per request; a point of 1536 numbers has some 20 kB. */
const POINTS_PER_REQUEST = 100;
const MISSING = [404];

/** Vectors of two models cannot be compared, and a collection has one length. */
function requireLength(
  collection: string,
  { found, wanted }: { found: number | undefined; wanted: number },
): void {
  if (found === wanted) return;
  throw new NodeFailure({
    kind: 'params',
    message: `The collection "${collection}" holds vectors of ${found ?? 'another length'} numbers; the model returns ${wanted}`,
    final: true,
  });
}

function countIn(result: unknown): number {
  const count = isJsonObject(result) ? result['count'] : undefined;
  return typeof count === 'number' ? count : 0;
}

/** Where the next page begins; null behind the last one. */
function readNext(result: unknown): string | null {
  const next = isJsonObject(result) ? result['next_page_offset'] : null;
  return typeof next === 'string' || typeof next === 'number' ? String(next) : null;
}

/** A collection of a Qdrant server over HTTP (https://api.qdrant.tech/api-reference). */
export function createQdrantIndex({
  caller,
  connection,
  collection,
  dimensions,
}: QdrantCollection): VectorIndex {
  const at = path`/collections/${collection}`;
  const ask = (request: Parameters<typeof callJson>[2]) => callJson(caller, connection, request);
  /** Undefined when there is no such collection. */
  const post = async (address: string, body: JsonObject, effect: 'read' | 'idempotent') => {
    const answer = await ask({ method: 'POST', path: `${at}${address}`, body, effect, accepts: MISSING });
    return answer.status === 404 ? undefined : resultIn(answer.body);
  };
  return {
    is_private: false,
    async prepare() {
      const found = await ask({ path: at, effect: 'read', accepts: MISSING });
      if (found.status === 404) {
        const body = { vectors: { size: dimensions, distance: 'Cosine' } };
        // 409: another process was faster.
        await ask({ method: 'PUT', path: at, body, effect: 'idempotent', accepts: [409] });
        return;
      }
      requireLength(collection, { found: readVectorSize(found.body), wanted: dimensions });
    },
    async put(points) {
      for (let start = 0; start < points.length; start += POINTS_PER_REQUEST) {
        const batch = points.slice(start, start + POINTS_PER_REQUEST).map(toPoint);
        const body = { points: batch };
        await ask({ method: 'PUT', path: `${at}/points?wait=true`, body, effect: 'idempotent' });
      }
    },
    async search(vector, { limit, filter }) {
      const body = { query: [...vector], limit, with_payload: true, ...buildFilter(filter) };
      const result = await post('/points/query', body, 'read');
      return listIn(result, 'points').map(foundPoint);
    },
    async count(filter) {
      return countIn(await post('/points/count', { exact: true, ...buildFilter(filter) }, 'read'));
    },
    async list({ limit, after, with_vectors = false }) {
      const page = { limit, with_payload: true, with_vector: with_vectors };
      const body = after ? { ...page, offset: after } : page;
      const result = await post('/points/scroll', body, 'read');
      return { points: listIn(result, 'points').map(storedPoint), next: readNext(result) };
    },
    async removeIds(ids) {
      if (ids.length > 0) await post('/points/delete?wait=true', { points: [...ids] }, 'idempotent');
    },
    async removeWhere(filter, except_ids = []) {
      const { filter: conditions = {} } = buildFilter(filter);
      const others = except_ids.length === 0 ? {} : { must_not: [{ has_id: [...except_ids] }] };
      await post('/points/delete?wait=true', { filter: { ...conditions, ...others } }, 'idempotent');
    },
    async drop() {
      await ask({ method: 'DELETE', path: at, effect: 'idempotent', accepts: MISSING });
    },
  };
}

const toPoint = ({ id, vector, text, metadata }: VectorPoint) => ({
  id,
  vector: [...vector],
  payload: { text, metadata },
});

function buildFilter(filter: MetadataFilter): { filter?: JsonObject } {
  const entries = Object.entries(filter);
  if (entries.length === 0) return {};
  const must = entries.map(([key, value]): JsonObject => {
    const values = Array.isArray(value) ? (value as readonly FilterValue[]) : [value as FilterValue];
    return { should: values.map((one) => condition(`metadata.${key}`, one)) };
  });
  return { filter: { must } };
}

/** Only texts, whole numbers and switches can be matched; a fraction is a range of one number. */
function condition(key: string, value: FilterValue): JsonObject {
  return typeof value === 'number' && !Number.isInteger(value)
    ? { key, range: { gte: value, lte: value } }
    : { key, match: { value } };
}

const resultIn = (body: Json): Json => (isJsonObject(body) ? (body['result'] ?? null) : null);

function listIn(result: Json | undefined, key: string): JsonObject[] {
  const list = isJsonObject(result) ? result[key] : undefined;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function readVectorSize(body: Json): number | undefined {
  const vectors = ['config', 'params', 'vectors'].reduce<Json>(
    (value, key) => (isJsonObject(value) ? (value[key] ?? null) : null),
    resultIn(body),
  );
  const size = isJsonObject(vectors) ? vectors['size'] : undefined;
  return typeof size === 'number' ? size : undefined;
}

/** Payloads of other programs may lack a text or metadata. */
function storedPoint({ id, payload, vector }: JsonObject): StoredPoint {
  const { text, metadata } = isJsonObject(payload) ? payload : {};
  return {
    id: typeof id === 'string' ? id : JSON.stringify(id ?? ''),
    text: readText(text),
    metadata: isJsonObject(metadata) ? metadata : {},
    ...(Array.isArray(vector) ? { vector: vector.map(Number) } : {}),
  };
}

function foundPoint(point: JsonObject): FoundPoint {
  const { id, text, metadata } = storedPoint(point);
  return { id, text, metadata, score: Number(point['score']) };
}
