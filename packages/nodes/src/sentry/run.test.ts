import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import { choiceContext } from '../testing/choice-context.ts';
import { realEgress } from '../testing/real-egress.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';
import { getEffect, runAtService } from '../testing/servers/test-service.ts';

const ISSUES = Array.from({ length: 230 }, (_, index) => ({
  id: `${index + 1}`,
  title: `Größe ${index + 1}`,
}));
const ORGANIZATIONS = [{ id: '1', slug: 'acme', name: 'Acme' }];
const PROJECTS = [
  { id: '2', slug: 'shop', name: 'Shop' },
  { id: '3', slug: 'blog', name: 'Blog' },
];

/** A page with the cursor of the next in its Link header, as https://docs.sentry.io/api/pagination/ describes it. */
function page(all: readonly unknown[], { query }: SeenRequest, size: 'limit' | 'per_page'): ServerAnswer {
  const { [size]: count, cursor, ...rest } = query;
  const known = ['query', 'statsPeriod', size === 'limit' ? 'per_page' : 'x'];
  const unknown = Object.keys(rest).find((name) => !known.includes(name));
  if (unknown !== undefined) return { status: 400, body: { detail: `Unknown parameter ${unknown}` } };
  if (count === undefined || Number(count) > 100) {
    return { status: 400, body: { detail: 'Invalid per_page value. Must be between 1 and 100.' } };
  }
  const start = cursor === undefined ? 0 : Number(cursor.split(':')[1]);
  const end = start + Number(count);
  const link = (rel: string, at: number, results: boolean) =>
    `<https://us.sentry.io/api/0/x/?cursor=0:${at}:0>; rel="${rel}"; results="${results}"; cursor="0:${at}:0"`;
  return {
    headers: { link: `${link('previous', start, start > 0)}, ${link('next', end, end < all.length)}` },
    body: all.slice(start, end),
  };
}

/** Paths and verbs of https://docs.sentry.io/api/, with the fields that each body takes. */
const WRITES: Readonly<Record<string, readonly string[]>> = {
  'PUT /organizations/acme/': ['name', 'slug', 'isEarlyAdopter'],
  'POST /teams/acme/core/projects/': ['name', 'slug', 'platform', 'default_rules'],
  'PUT /projects/acme/shop/': ['name', 'slug', 'platform', 'isBookmarked'],
  'POST /organizations/acme/teams/': ['name', 'slug'],
  'PUT /teams/acme/core/': ['name', 'slug'],
  'PUT /organizations/acme/issues/7/': ['status', 'assignedTo', 'hasSeen'],
  'POST /organizations/acme/releases/': ['version', 'projects', 'refs', 'url', 'dateReleased'],
  'PUT /organizations/acme/releases/shop%401.2%2F3/': ['ref', 'url', 'dateReleased', 'refs'],
};
const READS = [
  '/organizations/acme/issues/7/',
  '/organizations/acme/issues/7/events/latest/',
  '/projects/acme/shop/events/9fac2ceed9344f2bbfdd1fdacb0ed9b1/',
  '/projects/acme/shop/',
  '/organizations/acme/releases/shop%401.2%2F3/',
];
const DELETES: Readonly<Record<string, number>> = {
  '/organizations/acme/issues/7/': 202,
  '/projects/acme/shop/': 204,
  '/organizations/acme/releases/shop%401.2%2F3/': 204,
  '/teams/acme/core/': 204,
};

function listAt(path: string, request: SeenRequest): ServerAnswer | undefined {
  switch (path) {
    case '/organizations/acme/issues/':
    case '/projects/acme/shop/issues/':
      return page(ISSUES, request, 'limit');
    case '/organizations/acme/issues/7/events/':
    case '/projects/acme/shop/events/':
      return page([{ eventID: 'e1' }], request, 'per_page');
    case '/organizations/':
      return page(ORGANIZATIONS, request, 'per_page');
    case '/organizations/acme/projects/':
      return page(PROJECTS, request, 'per_page');
    case '/organizations/acme/teams/':
      return page([{ slug: 'core', name: 'Core' }], request, 'per_page');
    case '/organizations/acme/releases/':
      return page([{ version: 'shop@1.2/3' }], request, 'per_page');
    default:
      return undefined;
  }
}

function sentryApi(request: SeenRequest): ServerAnswer {
  const { method, headers, body } = request;
  if (headers['authorization'] !== 'Bearer sntrys_canary')
    return { status: 401, body: { detail: 'Invalid token' } };
  const [, path = ''] = /^\/api\/0(\/.*\/)$/.exec(request.path) ?? [];
  if (method === 'GET') {
    const listed = listAt(path, request);
    if (listed) return listed;
    if (READS.includes(path)) return { body: { at: path } };
  }
  const deleted = DELETES[path];
  if (method === 'DELETE' && deleted !== undefined) return { status: deleted, body: '' };
  const allowed = WRITES[`${method} ${path}`];
  if (!allowed) return { status: 404, body: { detail: 'The requested resource does not exist' } };
  const unknown = Object.keys(body as object).find((name) => !allowed.includes(name));
  if (unknown !== undefined) return { status: 400, body: { detail: `Unknown field ${unknown}` } };
  return { status: method === 'POST' ? 201 : 200, body: { at: path, ...(body as object) } };
}

const run = (
  data: JsonObject,
  {
    token = 'sntrys_canary',
    ...more
  }: { token?: string; answers?: ServerAnswer[]; inputs?: JsonObject } = {},
) =>
  runAtService(
    { node: 'sentry', credential: 'sentry', api: sentryApi },
    { sentryOrganizationSlug: 'acme', ...data },
    { values: (url) => ({ api_token: token, base_url: `${url}/` }), ...more },
  );

const VERSION = { sentryReleaseVersion: 'shop@1.2/3' };

test.each<[string, JsonObject, JsonObject, Partial<SeenRequest>]>([
  [
    'listIssues',
    { sentryQuery: 'is:unresolved größe', sentryLimit: '2' },
    { issues: ISSUES.slice(0, 2), count: 2 },
    {
      path: '/api/0/organizations/acme/issues/',
      query: { query: 'is:unresolved größe', statsPeriod: '14d', limit: '2' },
    },
  ],
  [
    'listIssues',
    { sentryProjectSlug: 'shop', sentryStatsPeriod: '' },
    { issues: ISSUES.slice(0, 25), count: 25 },
    { path: '/api/0/projects/acme/shop/issues/', query: { limit: '25' } },
  ],
  ['getIssue', { sentryIssueId: '7' }, { issue: { at: '/organizations/acme/issues/7/' } }, { method: 'GET' }],
  [
    'updateIssue',
    { sentryIssueId: '7', sentryStatus: 'resolved', sentryPayload: '{"hasSeen": true, "status": "ignored"}' },
    { issue: { status: 'resolved' } },
    { method: 'PUT', body: { status: 'resolved', hasSeen: true } },
  ],
  ['deleteIssue', { sentryIssueId: '7' }, { issue: { deleted: true, id: '7' } }, { method: 'DELETE' }],
  [
    'listEvents',
    { sentryIssueId: '7' },
    { events: [{ eventID: 'e1' }], count: 1 },
    { path: '/api/0/organizations/acme/issues/7/events/' },
  ],
  [
    'listEvents',
    { sentryProjectSlug: 'shop' },
    { events: [{ eventID: 'e1' }], count: 1 },
    { path: '/api/0/projects/acme/shop/events/' },
  ],
  [
    'getEvent',
    { sentryIssueId: '7', sentryEventId: 'latest' },
    { event: { at: '/organizations/acme/issues/7/events/latest/' } },
    {},
  ],
  [
    'getEvent',
    { sentryProjectSlug: 'shop', sentryEventId: '9fac2ceed9344f2bbfdd1fdacb0ed9b1' },
    { event: { at: '/projects/acme/shop/events/9fac2ceed9344f2bbfdd1fdacb0ed9b1/' } },
    {},
  ],
  ['listOrganizations', {}, { organizations: ORGANIZATIONS, count: 1 }, { query: { per_page: '25' } }],
  [
    'updateOrganization',
    { sentryName: 'New' },
    { organization: { name: 'New' } },
    { method: 'PUT', body: { name: 'New' } },
  ],
  ['listProjects', {}, { projects: PROJECTS, count: 2 }, { path: '/api/0/organizations/acme/projects/' }],
  [
    'getProject',
    { sentryProjectSlug: 'shop' },
    { project: { at: '/projects/acme/shop/' } },
    { method: 'GET' },
  ],
  [
    'createProject',
    { sentryTeamSlug: 'core', sentryName: '$start.name', sentryPlatform: 'node' },
    { project: { name: 'Größe "ü"' } },
    { method: 'POST', body: { name: 'Größe "ü"', platform: 'node' } },
  ],
  [
    'updateProject',
    { sentryProjectSlug: 'shop', sentryPlatform: 'python' },
    { project: { platform: 'python' } },
    { method: 'PUT', body: { platform: 'python' } },
  ],
  [
    'deleteProject',
    { sentryProjectSlug: 'shop' },
    { project: { deleted: true, id: 'shop' } },
    { method: 'DELETE' },
  ],
  ['listReleases', {}, { releases: [{ version: 'shop@1.2/3' }], count: 1 }, {}],
  [
    'getRelease',
    VERSION,
    { release: { at: '/organizations/acme/releases/shop%401.2%2F3/' } },
    { method: 'GET' },
  ],
  [
    'createRelease',
    { ...VERSION, sentryReleaseProjects: '["shop"]', sentryReleaseRefs: [{ repository: 'r', commit: 'c' }] },
    { release: { version: 'shop@1.2/3' } },
    {
      method: 'POST',
      body: { version: 'shop@1.2/3', projects: ['shop'], refs: [{ repository: 'r', commit: 'c' }] },
    },
  ],
  [
    'updateRelease',
    { ...VERSION, sentryPayload: '{"url": "https://example.com"}' },
    { release: { url: 'https://example.com' } },
    { method: 'PUT', body: { url: 'https://example.com' } },
  ],
  ['deleteRelease', VERSION, { release: { deleted: true, id: 'shop@1.2/3' } }, { method: 'DELETE' }],
  ['listTeams', {}, { teams: [{ slug: 'core', name: 'Core' }], count: 1 }, {}],
  [
    'createTeam',
    { sentrySlug: 'core' },
    { team: { slug: 'core' } },
    { method: 'POST', body: { slug: 'core' } },
  ],
  [
    'updateTeam',
    { sentryTeamSlug: 'core', sentryName: 'Kern' },
    { team: { name: 'Kern' } },
    { method: 'PUT', body: { name: 'Kern' } },
  ],
  ['deleteTeam', { sentryTeamSlug: 'core' }, { team: { deleted: true, id: 'core' } }, { method: 'DELETE' }],
])('%s with %o asks as the API describes and gives its outputs', async (operation, data, output, request) => {
  const { result, seen } = await run(
    { sentryOperation: operation, ...data },
    { inputs: { start: { name: 'Größe "ü"' } } },
  );
  expect(result).toMatchObject({ output: { success: true, operation, ...output } });
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject(request);
  if (request.body !== undefined) expect(seen[0]?.body).toEqual(request.body);
});

test('pages are followed by their cursor, on the server of the credential', async () => {
  const { result, seen } = await run({ sentryLimit: '150' });
  expect(result).toMatchObject({ output: { count: 150, issues: { 149: { id: '150' } } } });
  expect(seen.map(({ query }) => query['cursor'])).toEqual([undefined, '0:100:0']);
});

test('a release that exists is an answer', async () => {
  const answers = [{ status: 208, body: { version: 'v' } }];
  const data = {
    sentryOperation: 'createRelease',
    sentryReleaseVersion: 'v',
    sentryReleaseProjects: ['shop'],
  };
  expect((await run(data, { answers })).result).toMatchObject({ output: { release: { version: 'v' } } });
});

test('a limit is waited for until its reset', async () => {
  const limited: ServerAnswer = {
    status: 429,
    headers: { 'x-sentry-rate-limit-reset': '1' },
    body: { detail: 'You are attempting to use this endpoint too frequently.' },
  };
  const { result, seen } = await run(
    { sentryOperation: 'createTeam', sentryName: 'Core' },
    { answers: [limited] },
  );
  expect(result).toMatchObject({ output: { success: true } });
  expect(seen).toHaveLength(2);
});

test('what is not found fails with the words of the service', async () => {
  const { result } = await run({ sentryOperation: 'getProject', sentryProjectSlug: 'none' });
  expect(result).toMatchObject({
    failure: { kind: 'upstream', message: expect.stringContaining('The requested resource does not exist') },
  });
});

test('a refused token is a problem of the credential, told without the token', async () => {
  const { result } = await run({}, { token: 'sntrys_old' });
  expect(result).toMatchObject({
    failure: { kind: 'credential', final: true, message: expect.stringContaining('Invalid token') },
  });
  expect(JSON.stringify(result)).not.toContain('sntrys_');
});

test.each<[JsonObject, string]>([
  [{ sentryOperation: 'getIssue' }, 'sentryIssueId'],
  [{ sentryOperation: 'listEvents' }, 'sentryProjectSlug'],
  [{ sentryOperation: 'createProject', sentryTeamSlug: 'core' }, 'sentryName'],
  [{ sentryOperation: 'createTeam' }, 'sentryName'],
  [{ sentryOperation: 'createRelease', sentryReleaseVersion: 'v' }, 'sentryReleaseProjects'],
  [{ sentryOperation: 'updateIssue', sentryIssueId: '7' }, 'sentryPayload'],
  [{ sentryOperation: 'updateIssue', sentryIssueId: '7', sentryPayload: '[]' }, 'sentryPayload'],
  [{ sentryLimit: '-1' }, 'sentryLimit'],
])('%o fails before anything is asked, and names %s', async (data, field) => {
  const { result, seen } = await run(data);
  expect(result).toMatchObject({ failure: { kind: 'params', field } });
  expect(seen).toEqual([]);
});

test.each([
  ['listIssues', 'read'],
  ['createProject', 'unsafe'],
  ['createRelease', 'idempotent'],
  ['deleteTeam', 'idempotent'],
])('%s has the effect %s', (sentryOperation, effect) => {
  expect(getEffect('sentry', { sentryOperation })).toBe(effect);
});

test('organizations, projects and teams can be chosen by name', async () => {
  const server = await serveJson(sentryApi);
  const context = choiceContext(realEgress(), { api_token: 'sntrys_canary', base_url: server.url });
  const { choices } = implementations.get('sentry') ?? {};
  const ask = (list: string, params = {}, search = '') =>
    choices?.[list]?.(context, { params, search, cursor: null });
  const acme = { sentryOrganizationSlug: 'acme' };
  expect((await ask('organizations'))?.items).toEqual([{ value: 'acme', label: 'Acme' }]);
  expect((await ask('projects', acme, 'bl'))?.items).toEqual([{ value: 'blog', label: 'Blog' }]);
  expect((await ask('teams', acme))?.items).toEqual([{ value: 'core', label: 'Core' }]);
  expect((await ask('teams'))?.items).toEqual([]);
});
