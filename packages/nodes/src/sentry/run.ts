import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { CredentialConfig } from '@millrace/engine/credential';
import type { z } from 'zod';
import { type ChoiceContext, type ChoiceRequest, implement, type NodeCall } from '../implement.ts';
import {
  buildConnection,
  type Caller,
  callJson,
  type JsonAnswer,
  type JsonRequest,
  path,
} from '../kit/integration/call-json.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { readCount, readList, readObject, requiredText } from '../kit/integration/object-input.ts';
import { collect, listIn } from '../kit/integration/paging.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { sentryCredential } from './credential.ts';
import { sentry } from './definition.ts';

type Params = z.output<typeof sentry.params>;
type Operation = Params['sentryOperation'];
type Query = NonNullable<JsonRequest['query']>;

/** https://docs.sentry.io/api/ */
interface Sentry {
  readonly params: Params;
  call(request: JsonRequest): Promise<JsonAnswer>;
}

const TITLE = 'Sentry';
const MOST_ENTRIES = 1_000;
const PAGE_SIZE = 100;
const READ = { effect: 'read' } as const;

export const runSentry = implement(
  sentry,
  async (call: NodeCall<Params>) => {
    const ask = sentryApi(createCaller(call), await readCredential(call, sentryCredential));
    const operation = call.params.sentryOperation;
    const output = await OPERATIONS[operation]({ params: call.params, call: ask });
    return { output: { success: true, operation, ...output } };
  },
  {
    choices: {
      organizations,
      projects: (context, request) => ofOrganization(context, request, 'projects'),
      teams: (context, request) => ofOrganization(context, request, 'teams'),
    },
  },
);

function sentryApi(caller: Caller, config: CredentialConfig): Sentry['call'] {
  const connection = buildConnection(TITLE, sentryCredential, config);
  return (request) => callJson(caller, connection, request);
}

const OPERATIONS: Readonly<Record<Operation, (sentry: Sentry) => Promise<JsonObject>>> = {
  listIssues(sentry) {
    const { params } = sentry;
    const query = { query: params.sentryQuery.trim(), statsPeriod: params.sentryStatsPeriod.trim() };
    const place = params.sentryProjectSlug.trim() === '' ? organizationPath(params) : projectPath(params);
    return list(sentry, 'issues', { path: `${place}/issues/`, query, size: 'limit' });
  },
  getIssue: (sentry) => one(sentry, 'issue', issuePath(sentry.params)),
  updateIssue(sentry) {
    const { sentryStatus, sentryAssignedTo } = sentry.params;
    const body = buildBody(sentry.params, { status: sentryStatus, assignedTo: sentryAssignedTo });
    return change(sentry, 'issue', { path: issuePath(sentry.params), body });
  },
  deleteIssue: (sentry) =>
    remove(sentry, 'issue', { path: issuePath(sentry.params), id: sentry.params.sentryIssueId }),
  listEvents(sentry) {
    const { params } = sentry;
    const query = { query: params.sentryQuery.trim(), statsPeriod: params.sentryStatsPeriod.trim() };
    const place = params.sentryIssueId.trim() === '' ? projectPath(params) : issuePath(params).slice(0, -1);
    return list(sentry, 'events', { path: `${place}/events/`, query });
  },
  getEvent(sentry) {
    const { params } = sentry;
    const place = params.sentryIssueId.trim() === '' ? projectPath(params) : issuePath(params).slice(0, -1);
    return one(sentry, 'event', `${place}${path`/events/${requiredText(params, 'sentryEventId')}`}/`);
  },
  listOrganizations: (sentry) =>
    list(sentry, 'organizations', {
      path: '/organizations/',
      query: { query: sentry.params.sentryQuery.trim() },
    }),
  updateOrganization: (sentry) =>
    change(sentry, 'organization', {
      path: `${organizationPath(sentry.params)}/`,
      body: buildBody(sentry.params, readNames(sentry.params)),
    }),
  listProjects: (sentry) =>
    list(sentry, 'projects', { path: `${organizationPath(sentry.params)}/projects/` }),
  getProject: (sentry) => one(sentry, 'project', `${projectPath(sentry.params)}/`),
  createProject(sentry) {
    const { params } = sentry;
    requiredText(params, 'sentryName');
    const body = buildBody(params, { ...readNames(params), platform: params.sentryPlatform });
    return create(sentry, 'project', { path: `${teamPath(params)}/projects/`, body });
  },
  updateProject(sentry) {
    const { params } = sentry;
    const body = buildBody(params, { ...readNames(params), platform: params.sentryPlatform });
    return change(sentry, 'project', { path: `${projectPath(params)}/`, body });
  },
  deleteProject: (sentry) =>
    remove(sentry, 'project', {
      path: `${projectPath(sentry.params)}/`,
      id: sentry.params.sentryProjectSlug,
    }),
  listReleases: (sentry) =>
    list(sentry, 'releases', {
      path: `${organizationPath(sentry.params)}/releases/`,
      query: { query: sentry.params.sentryQuery.trim() },
    }),
  getRelease: (sentry) => one(sentry, 'release', releasePath(sentry.params)),
  async createRelease({ params, call }) {
    const body: JsonObject = {
      ...buildBody(params, {}),
      version: requiredText(params, 'sentryReleaseVersion'),
    };
    const names = listIfGiven(params, 'sentryReleaseProjects');
    const refs = listIfGiven(params, 'sentryReleaseRefs');
    if (names.length > 0) body['projects'] = names;
    if (refs.length > 0) body['refs'] = refs;
    if (body['projects'] === undefined)
      throw refusedParam('sentryReleaseProjects', 'name at least one project');
    const address = `${organizationPath(params)}/releases/`;
    const answer = await call({ method: 'POST', path: address, body, effect: 'idempotent' });
    return { release: answer.body };
  },
  updateRelease(sentry) {
    const { params } = sentry;
    const refs = listIfGiven(params, 'sentryReleaseRefs');
    const body = buildBody(params, refs.length > 0 ? { refs } : {});
    return change(sentry, 'release', { path: releasePath(params), body });
  },
  deleteRelease: (sentry) =>
    remove(sentry, 'release', { path: releasePath(sentry.params), id: sentry.params.sentryReleaseVersion }),
  listTeams: (sentry) => list(sentry, 'teams', { path: `${organizationPath(sentry.params)}/teams/` }),
  createTeam(sentry) {
    const { params } = sentry;
    const body = buildBody(params, readNames(params));
    if (body['name'] === undefined && body['slug'] === undefined) requiredText(params, 'sentryName');
    return create(sentry, 'team', { path: `${organizationPath(params)}/teams/`, body });
  },
  updateTeam: (sentry) =>
    change(sentry, 'team', {
      path: `${teamPath(sentry.params)}/`,
      body: buildBody(sentry.params, readNames(sentry.params)),
    }),
  deleteTeam: (sentry) =>
    remove(sentry, 'team', { path: `${teamPath(sentry.params)}/`, id: sentry.params.sentryTeamSlug }),
};

interface Listing {
  readonly path: string;
  readonly query?: Query;
  /** Parameter of the size of a page, which Sentry names in two ways. */
  readonly size?: 'limit' | 'per_page';
}

async function list({ params, call }: Sentry, name: string, listing: Listing): Promise<JsonObject> {
  const most = readCount(params, 'sentryLimit', { most: MOST_ENTRIES, usual: 25 });
  const entries = await listed(call, listing, most);
  return { [name]: entries, count: entries.length };
}

function listed(
  call: Sentry['call'],
  { path: address, query = {}, size = 'per_page' }: Listing,
  most: number,
): Promise<Json[]> {
  return collect(async (cursor: string | undefined) => {
    const page = { ...query, [size]: Math.min(most, PAGE_SIZE), cursor };
    const answer = await call({ path: address, query: page, ...READ });
    return { items: listIn(TITLE, answer.body), next: cursorIn(answer) };
  }, most);
}

/**
 * Cursor of the next page. Its address is not used: it may name the server of another region
 * (https://docs.sentry.io/api/pagination/).
 */
function cursorIn({ headers }: JsonAnswer): string | undefined {
  for (const link of (headers['link'] ?? '').split(/,\s*(?=<)/)) {
    if (!/;\s*rel="next"/.test(link) || !/;\s*results="true"/.test(link)) continue;
    return /;\s*cursor="([^"]+)"/.exec(link)?.[1];
  }
  return undefined;
}

async function one({ call }: Sentry, name: string, address: string): Promise<JsonObject> {
  return { [name]: (await call({ path: address, ...READ })).body };
}

interface Change {
  readonly path: string;
  readonly body: JsonObject;
}

async function create({ call }: Sentry, name: string, { path: address, body }: Change): Promise<JsonObject> {
  return { [name]: (await call({ method: 'POST', path: address, body, effect: 'unsafe' })).body };
}

async function change({ call }: Sentry, name: string, { path: address, body }: Change): Promise<JsonObject> {
  if (Object.keys(body).length === 0)
    throw refusedParam('sentryPayload', 'enter at least one value to change');
  return { [name]: (await call({ method: 'PUT', path: address, body, effect: 'idempotent' })).body };
}

async function remove(
  { call }: Sentry,
  name: string,
  { path: address, id }: { path: string; id: string },
): Promise<JsonObject> {
  await call({ method: 'DELETE', path: address, effect: 'idempotent' });
  return { [name]: { deleted: true, id: id.trim() } };
}

const organizationPath = (params: Params): string =>
  path`/organizations/${requiredText(params, 'sentryOrganizationSlug')}`;
const projectPath = (params: Params): string =>
  path`/projects/${requiredText(params, 'sentryOrganizationSlug')}/${requiredText(params, 'sentryProjectSlug')}`;
const teamPath = (params: Params): string =>
  path`/teams/${requiredText(params, 'sentryOrganizationSlug')}/${requiredText(params, 'sentryTeamSlug')}`;
const issuePath = (params: Params): string =>
  `${organizationPath(params)}${path`/issues/${requiredText(params, 'sentryIssueId')}`}/`;
const releasePath = (params: Params): string =>
  `${organizationPath(params)}${path`/releases/${requiredText(params, 'sentryReleaseVersion')}`}/`;

const readNames = ({ sentryName, sentrySlug }: Params) => ({ name: sentryName, slug: sentrySlug });

/** The further values with the fields that are filled in. */
function buildBody(params: Params, fields: Readonly<Record<string, Json>>): JsonObject {
  const payload = readObject(
    { sentryPayload: params.sentryPayload || '{}' },
    { mode: '', raw: 'sentryPayload', selective: '' },
  );
  const given = Object.entries(fields)
    .map(([name, value]): [string, Json] => [name, typeof value === 'string' ? value.trim() : value])
    .filter(([, value]) => value !== '');
  return { ...payload, ...Object.fromEntries(given) };
}

const listIfGiven = (params: Params, name: 'sentryReleaseProjects' | 'sentryReleaseRefs'): Json[] =>
  readList({ [name]: params[name] || '[]' }, name);

const bySlug = (entry: Json) => (isJsonObject(entry) ? { value: entry['slug'], label: entry['name'] } : {});

async function organizations({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const entries = await listed(sentryApi(caller, config), { path: '/organizations/' }, MOST_ENTRIES);
  return choicesFrom(entries, request, bySlug);
}

async function ofOrganization(
  { caller, config }: ChoiceContext,
  request: ChoiceRequest,
  kind: 'projects' | 'teams',
) {
  const slug = request.params['sentryOrganizationSlug']?.trim() ?? '';
  if (slug === '') return { items: [], next_cursor: null };
  const address = `${path`/organizations/${slug}`}/${kind}/`;
  const entries = await listed(sentryApi(caller, config), { path: address }, MOST_ENTRIES);
  return choicesFrom(entries, request, bySlug);
}
