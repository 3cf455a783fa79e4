import { type AnyEndpoint, allEndpoints } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filledData, type IdParameter, listIdParameters, NEEDED_IN_ENTRIES } from '../support/id-fields.ts';
import {
  createWorld,
  type Kind,
  PERSONAS,
  type Persona,
  SHARING,
  type World,
} from '../support/matrix-world.ts';
import { deriveRow, type Place, type Row, rows } from './authorization-matrix.cases.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
}, 120_000);
afterAll(() => world.app.close());

type Verdict = 'let in' | 401 | 403 | 404;

function sees(persona: Persona, kind: Kind): boolean {
  const { direct, team } = SHARING[kind];
  switch (persona) {
    case 'owner':
      return true;
    case 'direct':
      return direct;
    case 'team':
      return team;
    case 'both':
      return direct || team;
    default:
      return false;
  }
}

/** The verdict of the rules of §5.8, and for callers without a session of §5.1. */
function expected(row: Row, persona: Persona): Verdict {
  if (persona === 'anonymous' || persona === 'token') return 401;
  switch (row.rule) {
    case 'public':
    case 'own_space':
      return 'let in';
    case 'admin':
      return 403;
    case 'read':
      return row.kind && sees(persona, row.kind) ? 'let in' : (row.unseen ?? 404);
    case 'own':
      if (persona === 'owner') return 'let in';
      return row.kind && sees(persona, row.kind) ? 403 : 404;
    case 'received':
      if (persona === 'direct' || persona === 'both') return 'let in';
      return row.kind && sees(persona, row.kind) ? 403 : 404;
    case 'private':
      return persona === 'owner' ? 'let in' : 404;
    default: {
      const unknown: never = row.rule;
      return unknown;
    }
  }
}

interface Request {
  readonly url: string;
  readonly body: unknown;
}

async function buildRequest(endpoint: AnyEndpoint, row: Row): Promise<Request & { place: Place }> {
  const place: Place = { world, id: row.kind ? await world.make(row.kind) : '' };
  let url = endpoint.path;
  for (const [, name = ''] of endpoint.path.matchAll(/\{(\w+)\}/g)) {
    url = url.replace(`{${name}}`, (await row.params?.[name]?.(place)) ?? place.id);
  }
  if (row.query) url += `?${new URLSearchParams(row.query).toString()}`;
  const accepted = endpoint.body === undefined || endpoint.body.safeParse(undefined).success;
  const body = row.body ? await row.body(place) : accepted ? undefined : {};
  return { url, body, place };
}

const letIn = (row: Row, status: number): boolean =>
  (status >= 200 && status < 300) || (row.let_in?.includes(status) ?? false);

async function auditCount(): Promise<number> {
  const { rows: found } = await world.app.services.database.sql.query<{ n: number }>({
    text: 'SELECT count(*)::int AS n FROM audit_entries',
  });
  return found[0]?.n ?? 0;
}

const guarded = allEndpoints.filter((endpoint) => {
  const row = Object.hasOwn(rows, endpoint.id) ? rows[endpoint.id] : undefined;
  return endpoint.auth === 'session' || endpoint.auth === 'admin' || row?.rule !== undefined;
});

describe('every endpoint has a row', () => {
  test.each(allEndpoints.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_, endpoint) => {
    expect(() => deriveRow(endpoint)).not.toThrow();
  });

  test('and every row has an endpoint', () => {
    const ids = new Set(allEndpoints.map((endpoint) => endpoint.id));
    expect(Object.keys(rows).filter((id) => !ids.has(id))).toEqual([]);
  });
});

/** Every endpoint and every variant. */
const uses = guarded.flatMap((endpoint) => {
  const row = deriveRow(endpoint);
  const all = [row, ...(row.variants ?? []).map((variant): Row => ({ ...row, ...variant }))];
  return all.map((use, at) => {
    const query = at === 0 ? '' : `?${new URLSearchParams(use.query).toString()}`;
    return [`${endpoint.method} ${endpoint.path}${query}`, endpoint, use] as const;
  });
});

describe('§5.8: who is let in', () => {
  test.each(uses)(
    '%s',
    async (_, endpoint, row) => {
      const changes = endpoint.method !== 'GET';
      let request = await buildRequest(endpoint, row);
      const found: Partial<Record<Persona, number | 'let in'>> = {};
      // The refused come first, so that the object has not been changed or deleted yet.
      for (const persona of PERSONAS.toReversed()) {
        const isAudited = changes && persona === 'owner' && !row.unaudited;
        const before = isAudited ? await auditCount() : 0;
        const { statusCode } = await world.call(persona, endpoint.method, request.url, request.body);
        const admitted = expected(row, persona) === 'let in' && letIn(row, statusCode);
        found[persona] = admitted ? 'let in' : statusCode;
        if (isAudited && admitted && statusCode < 300) {
          expect(await auditCount(), `${endpoint.id} leaves no audit entry`).toBeGreaterThan(before);
        }
        if (changes && admitted && persona !== 'owner') request = await buildRequest(endpoint, row);
      }
      expect(found).toEqual(Object.fromEntries(PERSONAS.map((persona) => [persona, expected(row, persona)])));
    },
    30_000,
  );
});

describe("the owner with another user's id in place of an own one", () => {
  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
  const KIND_OF_FIELD: Record<string, Kind> = {
    team_id: 'team',
    workflow_id: 'workflow',
    folder_id: 'folder',
    parent_id: 'folder',
    credential_id: 'credential',
    file_ids: 'file',
    ids: 'global_variable',
  };

  /** Every id of a body, one after another replaced by one that belongs to the stranger. */
  async function foreignBodies(body: unknown): Promise<{ field: string; body: unknown; id: string }[]> {
    if (typeof body !== 'object' || body === null) return [];
    const variants: { field: string; body: unknown; id: string }[] = [];
    for (const [field, value] of Object.entries(body)) {
      const kind = KIND_OF_FIELD[field];
      const holdsId = (Array.isArray(value) ? value : [value]).some((item) => UUID.test(String(item)));
      if (!kind || !holdsId) continue;
      const id = await world.make(kind, world.users.stranger);
      variants.push({ field, id, body: { ...body, [field]: Array.isArray(value) ? [id] : id } });
    }
    return variants;
  }

  const READ: Partial<Record<Kind, string>> = {
    team: '/api/teams/',
    workflow: '/api/workflows/',
    folder: '/folders/',
    credential: '/api/credentials/',
    file: '/api/files/',
    global_variable: '/api/global-variables/',
  };

  test.each(
    guarded
      .filter((endpoint) => Object.hasOwn(rows, endpoint.id) && rows[endpoint.id]?.body)
      .map((endpoint) => [endpoint.id, endpoint] as const),
  )('in the body of %s', async (_, endpoint) => {
    const { url, body } = await buildRequest(endpoint, deriveRow(endpoint));
    for (const variant of await foreignBodies(body)) {
      const address = `${READ[KIND_OF_FIELD[variant.field] ?? 'workflow']}${variant.id}`;
      const before = (await world.call('stranger', 'GET', address)).body;
      const answer = await world.call('owner', endpoint.method, url, variant.body);
      const refused = [400, 403, 404, 409, 422].includes(answer.statusCode);
      const passedOver = answer.statusCode === 204 || answer.body.includes('"succeeded":[]');
      expect(refused || passedOver, `${variant.field}: ${answer.statusCode} ${answer.body}`).toBe(true);
      expect((await world.call('stranger', 'GET', address)).body).toBe(before);
    }
  });

  test.each(
    guarded
      .filter(({ id, path }) => path.includes('{id}') && Object.keys(rows[id]?.params ?? {}).length > 0)
      .map((endpoint) => [endpoint.id, endpoint] as const),
  )('in the path of %s', async (_, endpoint) => {
    const row = deriveRow(endpoint);
    const own = await buildRequest(endpoint, row);
    const elsewhere = await buildRequest(endpoint, row);
    // The second part of the address belongs to another object of the same owner: it must not be reached through this one.
    const mixed = elsewhere.url.replace(elsewhere.place.id, own.place.id);
    const names = Object.keys(row.params ?? {});
    if (names.every((name) => name === 'user_id' || name === 'team_id')) {
      const { stranger } = world.users;
      const id = names.includes('team_id') ? await world.make('team', stranger) : stranger.id;
      const url = own.url.replace(/[^/]+$/, id);
      expect((await world.call('owner', endpoint.method, url, own.body)).statusCode).toBe(404);
      return;
    }
    // Where a server outside of the service has the objects, it is away here.
    const away = (row.let_in ?? []).filter((status) => status === 503);
    const { statusCode } = await world.call('owner', endpoint.method, mixed, own.body);
    expect([404, ...away]).toContain(statusCode);
  });

  test('as the folder and as the workflow of a move', async () => {
    const { stranger } = world.users;
    const [folder, workflow] = [await world.make('folder'), await world.make('workflow')];
    const [theirFolder, theirWorkflow] = [
      await world.make('folder', stranger),
      await world.make('workflow', stranger),
    ];
    for (const [folder_id, workflow_id] of [
      [theirFolder, workflow],
      [folder, theirWorkflow],
    ]) {
      const answer = await world.call('owner', 'PUT', `/folders/${folder_id}/workflows/${workflow_id}`);
      expect(answer.statusCode).toBe(404);
    }
  });
});

describe('lists do not reveal objects that the caller may not see', () => {
  const lists = allEndpoints.filter(
    (endpoint) => endpoint.method === 'GET' && endpoint.auth === 'session' && !endpoint.path.includes('{'),
  );

  const ids: string[] = [];

  beforeAll(async () => {
    for (const kind of Object.keys(SHARING) as Kind[]) ids.push(await world.make(kind));
  });

  test.each(lists.map((endpoint) => endpoint.path))('%s', async (path) => {
    for (const persona of ['former', 'stranger'] as const) {
      const { body } = await world.call(persona, 'GET', path);
      expect(ids.filter((id) => body.includes(id))).toEqual([]);
    }
  });
});

describe('an id of another user inside a workflow', () => {
  test('as the credential of a node: a run does not resolve it', async () => {
    const { run_secrets } = world.app.services;
    const { owner, stranger } = world.users;
    const theirs = await world.make('credential', stranger);
    expect(await run_secrets.credentialById(owner.id, theirs)).toBeUndefined();
    expect(await run_secrets.credentialById(stranger.id, theirs)).toMatchObject({ id: theirs });
  });

  const steps = catalog.all.filter(({ traits }) => traits.role === 'step').flatMap(listIdParameters);

  /** Nested where the parameter is a part of another one. */
  function valueAt(parameter: string, id: string, around: JsonObject = {}): JsonObject {
    const [name = '', ...rest] = parameter.split('.');
    const value = rest.length > 0 ? { ...around, ...valueAt(rest.join('.'), id) } : id;
    return name.endsWith('[]') ? { [name.slice(0, -2)]: [value] } : { [name]: value };
  }

  /** Runs a workflow of the owner in which one node names the object. */
  async function runNaming({ definition, parameter }: Omit<IdParameter, 'kind'>, id: string) {
    const nodes = [
      { id: 'in', type: 'textInput', data: { label: 'in' } },
      {
        id: 'n',
        type: definition.type,
        data: {
          ...filledData(definition),
          label: 'n',
          ...valueAt(parameter, id, NEEDED_IN_ENTRIES[definition.type]),
        },
      },
    ].map((node, x) => ({ ...node, position: { x, y: 0 } }));
    const graph = { name: 'caller', nodes, edges: [{ id: 'e', source: 'in', target: 'n' }] };
    const made = await world.call('owner', 'POST', '/api/workflows', graph);
    expect(made.statusCode, made.body).toBe(201);
    return world.call('owner', 'POST', `/api/workflows/${made.json<{ id: string }>().id}/execute`, {});
  }

  test.each(steps.map((step) => [`${step.definition.type}.${step.parameter}`, step] as const))(
    'as %s: the run fails as if there were no such object, and does not reach it',
    async (_, step) => {
      const theirs = await world.make(step.kind, world.users.stranger);
      const answer = await runNaming(step, theirs);
      expect(answer.json()).toMatchObject({ status: 'error' });
      expect(answer.body).toContain('does not exist or is not shared with you');
      if (step.kind !== 'workflow') return;
      const history = await world.call('stranger', 'GET', `/api/workflows/${theirs}/history`);
      expect(history.json()).toMatchObject({ total: 0 });
    },
  );

  test.each([
    ['llm', 'credentialId', /does not exist or is not shared with you/],
    ['execute', 'executeWorkflowId', /does not exist or is not shared with you/],
    ['rag', 'vectorStoreId', /does not exist or is not shared with you/],
    ['dataTable', 'dataTableId', /not found/],
  ] as const)('text that is no id in %s.%s names nothing', async (type, parameter, message) => {
    const definition = catalog.get(type);
    if (!definition) throw new Error(`there is no node type ${type}`);
    const answer = await runNaming({ definition, parameter }, 'crm key');
    expect(answer.json()).toMatchObject({ status: 'error' });
    expect(answer.body).toMatch(message);
  });

  test('both kinds of ids are among those that are tried', () => {
    expect(new Set(steps.map(({ kind }) => kind))).toEqual(new Set(['workflow', 'credential']));
  });

  /** Where what a start node receives is delivered. Others are read by their host, which asks as above. */
  const DELIVERED_AT: Readonly<Record<string, string>> = {
    telegramTrigger: 'chatbot/webhook',
    slackTrigger: 'workspacechat/webhook',
    calTrigger: 'cal/webhook',
    discordTrigger: 'interactions/webhook',
    webhookTrigger: 'webhooks',
  };
  const delivered = catalog.all
    .filter(({ traits, receives }) => traits.role === 'trigger' && receives === 'webhook')
    .flatMap(listIdParameters);

  test.each(delivered.map((start) => [`${start.definition.type}.${start.parameter}`, start] as const))(
    'as %s: no delivery is accepted',
    async (_, { definition: { type }, parameter, kind }) => {
      expect(DELIVERED_AT, 'a start node that is called from outside has its address here').toHaveProperty(
        type,
      );
      const theirs = await world.make(kind, world.users.stranger);
      const data = { label: 'n', [parameter]: theirs };
      const node = { id: `${type}-n`, type, position: { x: 0, y: 0 }, data };
      await world.call('owner', 'POST', '/api/workflows', { name: type, nodes: [node], edges: [] });
      const address = `/api/${DELIVERED_AT[type]}/${type}-n`;
      const answer = await world.call('anonymous', 'POST', address, { update_id: 1 });
      expect(answer.statusCode, answer.body).toBe(403);
    },
  );
});
