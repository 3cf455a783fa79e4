import type { Json, JsonObject } from '@millrace/engine';
import type { JsonAnswer } from '../../kit/integration/call-json.ts';
import { collect, listIn } from '../../kit/integration/paging.ts';
import {
  type Act,
  buildIssuePath,
  type Jira,
  namesIn,
  objectIn,
  type Params,
  READ,
  type Site,
  TITLE,
} from './connection.ts';

const MOST = 5_000;
const USUAL = 50;
/** More than this is never answered at once. */
const LARGEST_PAGE = 100;
const USUAL_FIELDS = ['key', 'summary', 'status', 'assignee', 'issuetype'];

const readLimit = ({ jiraLimit = USUAL }: Params): number =>
  jiraLimit === null ? USUAL : jiraLimit === 0 ? MOST : jiraLimit;

const getStart = ({ jiraStartAt }: Params): number => jiraStartAt ?? 0;

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#pagination */
export const LISTS = {
  async searchIssues(jira) {
    const { issues, next, maxResults } = await (jira.isCloud ? searchCloud(jira) : searchServer(jira));
    const pagination = { maxResults, nextPageToken: next ?? null, isLast: next === undefined };
    return { issues, count: issues.length, pagination };
  },
  async listProjects(jira) {
    const { entries, pagination } = jira.isCloud
      ? await listed(jira.params, (startAt, maxResults) => projectPage(jira, { startAt, maxResults }))
      : sliced(jira.params, await allProjects(jira));
    return { projects: entries, count: entries.length, pagination };
  },
  async getIssueChangelog(jira) {
    const { entries, pagination } = jira.isCloud
      ? await listed(jira.params, async (startAt, maxResults) => {
          const query = { startAt, maxResults };
          return pageIn(
            await jira.call({ path: `${buildIssuePath(jira.params)}/changelog`, query, ...READ }),
            'values',
          );
        })
      : sliced(jira.params, await serverChangelog(jira));
    return { changelog: entries, count: entries.length, pagination };
  },
  async listComments(jira) {
    const { entries, pagination } = await listed(jira.params, async (startAt, maxResults) => {
      const query = { startAt, maxResults };
      return pageIn(
        await jira.call({ path: `${buildIssuePath(jira.params)}/comment`, query, ...READ }),
        'comments',
      );
    });
    return { comments: entries, count: entries.length, pagination };
  },
} satisfies Record<string, Act>;

interface Entries {
  readonly items: Json[];
  /** Null when the site does not say. */
  readonly total: number | null;
  readonly isLast: boolean | undefined;
}

function pageIn(answer: JsonAnswer, key: string): Entries {
  const items = listIn(TITLE, answer.body, key);
  const { total, isLast } = objectIn(answer);
  return {
    items,
    total: typeof total === 'number' ? total : null,
    isLast: typeof isLast === 'boolean' ? isLast : undefined,
  };
}

/** Entries of as many pages as are needed, with where they stand in the whole list. */
export async function listed(
  params: Params,
  load: (startAt: number, maxResults: number) => Promise<Entries>,
): Promise<{ entries: Json[]; pagination: JsonObject }> {
  const startAt = getStart(params);
  const most = readLimit(params);
  let total: number | null = null;
  let isLast = false;
  const entries = await collect(async (from: number = startAt) => {
    const page = await load(from, Math.min(most - (from - startAt), LARGEST_PAGE));
    const next = from + page.items.length;
    total = page.total;
    isLast = page.isLast ?? (page.items.length === 0 || (page.total !== null && next >= page.total));
    return { items: page.items, next: isLast ? undefined : next };
  }, most);
  return { entries, pagination: { startAt, maxResults: most, total, isLast } };
}

/** A part of a list that the site only gives as a whole. */
export function sliced(params: Params, all: readonly Json[]): { entries: Json[]; pagination: JsonObject } {
  const startAt = getStart(params);
  const maxResults = readLimit(params);
  const end = startAt + maxResults;
  return {
    entries: all.slice(startAt, end),
    pagination: { startAt, maxResults, total: all.length, isLast: end >= all.length },
  };
}

interface ProjectPage {
  readonly startAt: number;
  readonly maxResults: number;
  readonly search?: string;
}

/** Projects of the cloud from a place on. */
export async function projectPage(
  { call }: Site,
  { startAt, maxResults, search }: ProjectPage,
): Promise<Entries> {
  const query = { startAt, maxResults, query: search };
  return pageIn(await call({ path: '/project/search', query, ...READ }), 'values');
}

/** Projects of a server of one's own, which lists them all. */
export async function allProjects({ call }: Site): Promise<Json[]> {
  return listIn(TITLE, (await call({ path: '/project', ...READ })).body);
}

async function serverChangelog({ params, call }: Jira): Promise<Json[]> {
  const query = { expand: 'changelog', fields: 'summary' };
  const issue = objectIn(await call({ path: buildIssuePath(params), query, ...READ }));
  return listIn(TITLE, issue['changelog'] ?? null, 'histories');
}

interface Found {
  readonly issues: Json[];
  /** Where the next search continues; undefined behind the last issue. */
  readonly next: string | undefined;
  readonly maxResults: number;
}

const readFields = (params: Params): string[] => {
  const names = namesIn(params, 'jiraFields');
  return names.length === 0 ? USUAL_FIELDS : names;
};

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/ */
async function searchCloud({ params, call }: Jira): Promise<Found> {
  const most = readLimit(params);
  let found = 0;
  let last: string | undefined;
  const first = params.jiraNextPageToken.trim();
  const issues = await collect(async (token: string = first) => {
    const maxResults = Math.min(most - found, LARGEST_PAGE);
    const body = { jql: params.jiraJql, maxResults, fields: readFields(params) };
    const answer = await call({
      method: 'POST',
      path: '/search/jql',
      body: token === '' ? body : { ...body, nextPageToken: token },
      ...READ,
    });
    const items = listIn(TITLE, answer.body, 'issues');
    const { nextPageToken, isLast } = objectIn(answer);
    found += items.length;
    last = typeof nextPageToken === 'string' && isLast !== true ? nextPageToken : undefined;
    return { items, next: last };
  }, most);
  return { issues, next: last, maxResults: most };
}

/** https://docs.atlassian.com/software/jira/docs/api/REST/latest/: continues at a number, which is used as the token. */
async function searchServer({ params, call }: Jira): Promise<Found> {
  const first = Number(params.jiraNextPageToken.trim() || '0');
  const { entries, pagination } = await listed(
    { ...params, jiraStartAt: Number.isInteger(first) && first > 0 ? first : 0 },
    async (startAt, maxResults) => {
      const body = { jql: params.jiraJql, startAt, maxResults, fields: readFields(params) };
      return pageIn(await call({ method: 'POST', path: '/search', body, ...READ }), 'issues');
    },
  );
  const next = pagination['isLast'] === true ? undefined : String(first + entries.length);
  return { issues: entries, next, maxResults: readLimit(params) };
}
