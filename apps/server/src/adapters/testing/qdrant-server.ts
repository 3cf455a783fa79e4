import type { IncomingHttpHeaders } from 'node:http';

export interface QdrantRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

interface Point {
  readonly id: string;
  readonly vector: readonly number[];
  readonly payload: Readonly<Record<string, unknown>>;
}

interface Collection {
  readonly size: number;
  readonly points: Map<string, Point>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Body = Readonly<Record<string, unknown>>;
type Condition = Readonly<Record<string, unknown>>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const good = (result: unknown): Answer => ({ status: 200, body: { result, status: 'ok', time: 0 } });
const bad = (status: number, error: string): Answer => ({ status, body: { status: { error }, time: 0 } });

/** Fields of each body; others are refused as the server's parser does. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  query: ['query', 'limit', 'filter', 'with_payload', 'with_vector'],
  count: ['filter', 'exact'],
  scroll: ['limit', 'offset', 'filter', 'with_payload', 'with_vector'],
  delete: ['points', 'filter'],
};

/**
 * The part of https://api.qdrant.tech/api-reference (collections, points) in use, with exact search in memory. Strict about
 * paths, verbs, the key, ids, lengths of vectors and fields of bodies.
 */
export function qdrantApi(key: string): (request: QdrantRequest) => Answer {
  const collections = new Map<string, Collection>();
  return ({ method, url, headers, body }) => {
    if (headers['api-key'] !== key)
      return { status: 401, body: 'Must provide an API key or an Authorization bearer token' };
    const [, name = '', rest = ''] = /^\/collections\/([^/]+)(\/points(?:\/\w+)?)?$/.exec(url.pathname) ?? [];
    if (name === '') return bad(404, 'Not found');
    const collection = collections.get(name);
    if (rest === '') return onCollections(collections, { method, name, body: (body ?? {}) as Body });
    if (!collection) return bad(404, `Not found: Collection \`${name}\` doesn't exist!`);
    if (url.search !== '' && url.search !== '?wait=true') return bad(400, 'Unknown parameter');
    return onPoints(collection, { verb: `${method} ${rest}`, body: (body ?? {}) as Body });
  };
}

function onCollections(
  collections: Map<string, Collection>,
  { method, name, body }: { method: string; name: string; body: Body },
): Answer {
  const collection = collections.get(name);
  switch (method) {
    case 'GET':
      if (!collection) return bad(404, `Not found: Collection \`${name}\` doesn't exist!`);
      return good({
        status: 'green',
        points_count: collection.points.size,
        config: { params: { vectors: { size: collection.size, distance: 'Cosine' } } },
      });
    case 'PUT': {
      const { size, distance } = (body['vectors'] ?? {}) as { size?: number; distance?: string };
      if (collection) return bad(409, `Wrong input: Collection \`${name}\` already exists!`);
      if (!Number.isInteger(size) || distance !== 'Cosine') return bad(400, 'Format error in JSON body');
      collections.set(name, { size: size ?? 0, points: new Map() });
      return good(true);
    }
    case 'DELETE':
      return good(collections.delete(name));
    default:
      return bad(405, 'Method not allowed');
  }
}

function onPoints({ size, points }: Collection, { verb, body }: { verb: string; body: Body }): Answer {
  const action = verb.split('/').at(-1) ?? '';
  const unknown = Object.keys(body).find((field) => FIELDS[action]?.includes(field) === false);
  if (unknown !== undefined) return bad(400, `Format error in JSON body: unknown field \`${unknown}\``);
  const passing = [...points.values()].filter((point) =>
    passes(point, body['filter'] as Condition | undefined),
  );
  const limit = Number(body['limit']);
  switch (verb) {
    case 'PUT /points': {
      const given = body['points'] as Point[];
      const wrong = given.find(({ id, vector }) => !UUID.test(id) || vector.length !== size);
      if (wrong)
        return bad(
          400,
          `Wrong input: Vector dimension error: expected dim: ${size}, got ${wrong.vector.length}`,
        );
      for (const point of given) points.set(point.id, point);
      return good({ operation_id: 1, status: 'completed' });
    }
    case 'POST /points/query': {
      const asked = body['query'] as number[];
      if (asked.length !== size)
        return bad(400, `Wrong input: Vector dimension error: expected dim: ${size}, got ${asked.length}`);
      const scored = passing.map((point) => ({
        ...shown(point, body),
        score: cosine(point.vector, asked),
      }));
      return good({ points: scored.sort((a, b) => b.score - a.score).slice(0, limit) });
    }
    case 'POST /points/count':
      return good({ count: passing.length });
    case 'POST /points/scroll': {
      const sorted = passing
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .filter(({ id }) => id >= String(body['offset'] ?? ''));
      return good({
        points: sorted.slice(0, limit).map((point) => shown(point, body)),
        next_page_offset: sorted[limit]?.id ?? null,
      });
    }
    case 'POST /points/delete': {
      if (body['points'] === undefined && body['filter'] === undefined)
        return bad(400, 'Format error in JSON body');
      const ids = (body['points'] as string[] | undefined) ?? passing.map(({ id }) => id);
      for (const id of ids) points.delete(id);
      return good({ operation_id: 2, status: 'completed' });
    }
    default:
      return bad(404, 'Not found');
  }
}

const shown = ({ id, payload, vector }: Point, body: Body) => ({
  id,
  version: 1,
  payload: body['with_payload'] === true ? payload : null,
  ...(body['with_vector'] === true ? { vector } : {}),
});

/** https://qdrant.tech/documentation/concepts/filtering: `must`, `must_not`, `should`, `match`, `range` and `has_id`. */
function passes(point: Point, filter: Condition | undefined): boolean {
  if (filter === undefined) return true;
  const {
    must = [],
    must_not = [],
    has_id,
    should,
    key,
    match,
    range,
  } = filter as {
    must?: Condition[];
    must_not?: Condition[];
    has_id?: string[];
    should?: Condition[];
    key?: string;
    match?: { value: unknown };
    range?: { gte: number; lte: number };
  };
  const found = key
    ?.split('.')
    .reduce<unknown>((value, part) => (value as Body | undefined)?.[part], point.payload);
  const values = Array.isArray(found) ? found : [found];
  return (
    must.every((condition) => passes(point, condition)) &&
    !must_not.some((condition) => passes(point, condition)) &&
    (has_id === undefined || has_id.includes(point.id)) &&
    (should === undefined || should.some((condition) => passes(point, condition))) &&
    (match === undefined || values.includes(match.value)) &&
    (range === undefined || values.some((value) => Number(value) >= range.gte && Number(value) <= range.lte))
  );
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
