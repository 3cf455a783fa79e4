import type { JsonObject } from '@millrace/engine';
import { buildSchema, graphqlSync } from 'graphql';
import { expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import { choiceContext } from '../testing/choice-context.ts';
import { egressTo } from '../testing/real-egress.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';
import { getEffect, runAtService } from '../testing/servers/test-service.ts';

/** The part of the schema at https://studio.apollographql.com/public/Linear-API/variant/current/schema/reference in use. */
const SCHEMA = buildSchema(`
  scalar DateTime
  scalar TimelessDate
  input IDComparator { eq: ID neq: ID in: [ID!] nin: [ID!] }
  input NullableIssueRelation { id: IDComparator null: Boolean }
  input TeamFilter { id: IDComparator }
  input WorkflowStateFilter { id: IDComparator team: TeamFilter }
  input IssueFilter {
    team: TeamFilter project: NullableIssueRelation state: WorkflowStateFilter assignee: NullableIssueRelation
  }
  input IssueCreateInput {
    teamId: String! title: String description: String projectId: String stateId: String assigneeId: String priority: Int
  }
  input IssueUpdateInput {
    teamId: String title: String description: String projectId: String stateId: String assigneeId: String priority: Int
  }
  input CommentCreateInput { issueId: String body: String parentId: String }
  input CommentUpdateInput { body: String }
  type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
  type Organization { id: ID! name: String! urlKey: String! }
  type User {
    id: ID! name: String! displayName: String! email: String! active: Boolean! admin: Boolean! organization: Organization!
  }
  type Team {
    id: ID! key: String! name: String! description: String
    projects(first: Int, after: String): ProjectConnection! members(first: Int, after: String): UserConnection!
  }
  type Project { id: ID! name: String! description: String! url: String! }
  type WorkflowState { id: ID! name: String! type: String! color: String! position: Float! team: Team! }
  type IssueLabel { id: ID! name: String! }
  type IssueLabelConnection { nodes: [IssueLabel!]! pageInfo: PageInfo! }
  type Issue {
    id: ID! identifier: String! number: Float! title: String! description: String priority: Float! priorityLabel: String!
    estimate: Float dueDate: TimelessDate url: String! createdAt: DateTime! updatedAt: DateTime! completedAt: DateTime
    state: WorkflowState! team: Team! assignee: User creator: User project: Project
    labels(first: Int, after: String): IssueLabelConnection! comments(first: Int, after: String): CommentConnection!
  }
  type Comment {
    id: ID! body: String! url: String! createdAt: DateTime! updatedAt: DateTime! resolvedAt: DateTime user: User
    parent: Comment issue: Issue
  }
  type Attachment { id: ID! url: String! title: String! subtitle: String createdAt: DateTime! }
  type TeamConnection { nodes: [Team!]! pageInfo: PageInfo! }
  type ProjectConnection { nodes: [Project!]! pageInfo: PageInfo! }
  type UserConnection { nodes: [User!]! pageInfo: PageInfo! }
  type WorkflowStateConnection { nodes: [WorkflowState!]! pageInfo: PageInfo! }
  type IssueConnection { nodes: [Issue!]! pageInfo: PageInfo! }
  type CommentConnection { nodes: [Comment!]! pageInfo: PageInfo! }
  type IssuePayload { success: Boolean! lastSyncId: Float! issue: Issue }
  type IssueArchivePayload { success: Boolean! lastSyncId: Float! }
  type CommentPayload { success: Boolean! lastSyncId: Float! comment: Comment! }
  type DeletePayload { success: Boolean! lastSyncId: Float! entityId: String! }
  type AttachmentPayload { success: Boolean! lastSyncId: Float! attachment: Attachment! }
  type Query {
    viewer: User! team(id: String!): Team! issue(id: String!): Issue!
    teams(first: Int, after: String): TeamConnection! projects(first: Int, after: String): ProjectConnection!
    workflowStates(filter: WorkflowStateFilter, first: Int, after: String): WorkflowStateConnection!
    issues(filter: IssueFilter, first: Int, after: String): IssueConnection!
  }
  type Mutation {
    issueCreate(input: IssueCreateInput!): IssuePayload!
    issueUpdate(id: String!, input: IssueUpdateInput!): IssuePayload!
    issueDelete(id: String!, permanentlyDelete: Boolean): IssueArchivePayload!
    attachmentLinkURL(issueId: String!, url: String!, title: String): AttachmentPayload!
    commentCreate(input: CommentCreateInput!): CommentPayload!
    commentUpdate(id: String!, input: CommentUpdateInput!): CommentPayload!
    commentResolve(id: String!, resolvingCommentId: String): CommentPayload!
    commentUnresolve(id: String!): CommentPayload!
    commentDelete(id: String!): DeletePayload!
  }
`);

const USER = { id: 'u1', name: 'Zoë', displayName: 'zoe', email: 'zoe@example.com', active: true };
const VIEWER = { ...USER, admin: false, organization: { id: 'o1', name: 'Company', urlKey: 'company' } };
const STATE = { id: 's1', name: 'Todo', type: 'unstarted', color: '#fff', position: 1 };
const PROJECT = { id: 'p1', name: 'Search', description: '', url: 'https://linear.app/c/project/p1' };
const TEAM = { id: 't1', key: 'ENG', name: 'Engineering', description: null };
const TIMES = { createdAt: '2026-01-02T03:04:05.000Z', updatedAt: '2026-01-02T03:04:05.000Z' };

const issue = (number: number, more: object = {}) => ({
  ...TIMES,
  id: `i${number}`,
  identifier: `ENG-${number}`,
  number,
  title: `Issue ${number}`,
  priority: 0,
  priorityLabel: 'No priority',
  url: `https://linear.app/c/issue/ENG-${number}`,
  state: STATE,
  team: TEAM,
  labels: { nodes: [] },
  ...more,
});
const ISSUES = Array.from({ length: 260 }, (_, index) => issue(index + 1));
const comment = (id: string, more: object = {}) => ({
  ...TIMES,
  id,
  body: 'Done',
  url: `https://x/${id}`,
  ...more,
});

interface PageArgs {
  first?: number;
  after?: string;
}

/** A connection as https://linear.app/developers/pagination describes it; more than 250 entries per page are refused. */
function page<T>(all: readonly T[], { first = 50, after }: PageArgs) {
  if (first < 1 || first > 250) throw new Error('Argument Validation Error');
  const start = after === undefined ? 0 : Number(after.replace('cursor-', ''));
  const end = Math.min(start + first, all.length);
  const pageInfo = { hasNextPage: end < all.length, hasPreviousPage: start > 0, endCursor: `cursor-${end}` };
  return { nodes: all.slice(start, end), pageInfo };
}

const known = (id: string, value: object) => {
  if (id === 'none') throw new Error('Entity not found: Issue - Could not find referenced Issue.');
  return { ...value, id };
};
const done = { success: true, lastSyncId: 1 };

const ROOT = {
  viewer: VIEWER,
  teams: (args: PageArgs) => page([TEAM], args),
  projects: (args: PageArgs) => page([PROJECT, { ...PROJECT, id: 'p2' }], args),
  team: ({ id }: { id: string }) => ({
    ...TEAM,
    id,
    projects: (args: PageArgs) => page([PROJECT], args),
    members: (args: PageArgs) => page([USER], args),
  }),
  workflowStates: (args: PageArgs) => page([{ ...STATE, team: TEAM }], args),
  issues: (args: PageArgs) => page(ISSUES, args),
  issue: ({ id }: { id: string }) => ({
    ...known(id, issue(1)),
    comments: (args: PageArgs) => page([comment('c1'), comment('c2', { parent: { id: 'c1' } })], args),
  }),
  issueCreate: ({ input }: { input: { title: string } }) =>
    input.title === 'refuse'
      ? { success: false, lastSyncId: 1 }
      : { ...done, issue: issue(261, { title: input.title }) },
  issueUpdate: ({ id, input }: { id: string; input: object }) => ({
    ...done,
    issue: { ...issue(1), ...input, id },
  }),
  issueDelete: ({ id }: { id: string }) => known(id, done),
  attachmentLinkURL: ({ url, title }: { url: string; title?: string }) => ({
    ...done,
    attachment: { id: 'a1', url, title: title ?? url, createdAt: TIMES.createdAt },
  }),
  commentCreate: ({ input }: { input: { body: string; parentId?: string } }) => ({
    ...done,
    comment: comment('c3', { body: input.body, parent: input.parentId ? { id: input.parentId } : null }),
  }),
  commentUpdate: ({ id, input }: { id: string; input: object }) => ({ ...done, comment: comment(id, input) }),
  commentResolve: ({ id }: { id: string }) => ({
    ...done,
    comment: comment(id, { resolvedAt: '2026-02-03T00:00:00.000Z' }),
  }),
  commentUnresolve: ({ id }: { id: string }) => ({ ...done, comment: comment(id) }),
  commentDelete: ({ id }: { id: string }) => ({ ...done, entityId: id }),
};

interface GraphqlBody {
  query: string;
  variables: Record<string, unknown>;
}

/** One address, verb and key, as https://linear.app/developers/graphql describes them; documents are checked and executed. */
function linearApi({ method, path, headers, body }: SeenRequest): ServerAnswer {
  if (method !== 'POST' || path !== '/graphql') return { status: 404, body: 'Not found' };
  if (headers['content-type'] !== 'application/json') return { status: 400, body: {} };
  if (headers['authorization'] !== 'lin_api_canary') {
    const extensions = { code: 'AUTHENTICATION_ERROR', type: 'authentication error' };
    return { status: 401, body: { errors: [{ message: 'Authentication required', extensions }] } };
  }
  const { query, variables } = body as GraphqlBody;
  const result = graphqlSync({ schema: SCHEMA, source: query, rootValue: ROOT, variableValues: variables });
  return { status: result.data === undefined ? 400 : 200, body: result };
}

const getVariables = ({ body }: SeenRequest) => (body as GraphqlBody).variables;

const LINEAR = {
  node: 'linear',
  credential: 'linear',
  api: linearApi,
  address: 'https://api.linear.app',
};

const run = (
  data: JsonObject,
  { key = 'lin_api_canary', ...more }: { key?: string; answers?: ServerAnswer[]; inputs?: JsonObject } = {},
) => runAtService(LINEAR, data, { values: { api_key: key }, ...more });

const PAGE_INFO = { hasNextPage: false };

test.each<[string, JsonObject, JsonObject, object]>([
  ['getViewer', {}, { viewer: { email: 'zoe@example.com', organization: { urlKey: 'company' } } }, {}],
  ['listTeams', {}, { teams: [TEAM], count: 1, pageInfo: PAGE_INFO }, { first: 50 }],
  ['listProjects', {}, { projects: [PROJECT, { id: 'p2' }], count: 2 }, { first: 50 }],
  ['listProjects', { linearTeamId: 't1' }, { projects: [PROJECT], count: 1 }, { team: 't1', first: 50 }],
  [
    'listWorkflowStates',
    { linearTeamId: 't1' },
    { states: [{ id: 's1', name: 'Todo', team: { id: 't1' } }], count: 1, pageInfo: PAGE_INFO },
    { filter: { team: { id: { eq: 't1' } } }, first: 50 },
  ],
  ['listTeamMembers', { linearTeamId: 't1' }, { members: [USER], count: 1 }, { team: 't1', first: 50 }],
  [
    'listIssues',
    { linearTeamId: 't1', linearAssigneeId: 'u1', linearLimit: '2', linearAfter: 'cursor-10' },
    {
      issues: [{ identifier: 'ENG-11' }, { identifier: 'ENG-12' }],
      count: 2,
      pageInfo: { hasNextPage: true, endCursor: 'cursor-12' },
    },
    { filter: { team: { id: { eq: 't1' } }, assignee: { id: { eq: 'u1' } } }, first: 2, after: 'cursor-10' },
  ],
  [
    'getIssue',
    { linearIssueId: 'https://linear.app/company/issue/ENG-1/a-title-%C3%BC' },
    { issue: { id: 'ENG-1' }, identifier: 'ENG-1', url: 'https://linear.app/c/issue/ENG-1' },
    { id: 'ENG-1' },
  ],
  [
    'createIssue',
    {
      linearTeamId: 't1',
      linearTitle: '$start.title',
      linearPriority: '2',
      linearDescription: '  - a\n  - b',
    },
    { issue: { title: 'Größe "ü" 🎉' }, identifier: 'ENG-261' },
    { input: { teamId: 't1', title: 'Größe "ü" 🎉', description: '  - a\n  - b', priority: 2 } },
  ],
  [
    'updateIssue',
    { linearIssueId: 'i1', linearAssigneeId: 'null', linearDescription: 'null', linearStateId: 's2' },
    { issue: { id: 'i1' }, identifier: 'ENG-1' },
    { id: 'i1', input: { assigneeId: null, description: null, stateId: 's2' } },
  ],
  ['deleteIssue', { linearIssueId: 'ENG-1' }, { deleted: true }, { id: 'ENG-1' }],
  [
    'addIssueLink',
    { linearIssueId: 'i1', linearIssueLinkUrl: 'https://example.com/a?b=1', linearTitle: 'Log' },
    { link: { id: 'a1', url: 'https://example.com/a?b=1', title: 'Log' } },
    { issueId: 'i1', url: 'https://example.com/a?b=1', title: 'Log' },
  ],
  [
    'createComment',
    { linearIssueId: 'i1', linearCommentBody: 'Yes', linearParentCommentId: 'c1' },
    { comment: { body: 'Yes', parent: { id: 'c1' } } },
    { input: { issueId: 'i1', body: 'Yes', parentId: 'c1' } },
  ],
  [
    'updateComment',
    { linearCommentId: 'c1', linearCommentBody: 'New' },
    { comment: { id: 'c1', body: 'New' } },
    { id: 'c1', input: { body: 'New' } },
  ],
  [
    'resolveComment',
    { linearCommentId: 'c1' },
    { comment: { resolvedAt: '2026-02-03T00:00:00.000Z' } },
    { id: 'c1' },
  ],
  ['unresolveComment', { linearCommentId: 'c1' }, { comment: { resolvedAt: null } }, { id: 'c1' }],
  ['deleteComment', { linearCommentId: 'c1' }, { deleted: true, entityId: 'c1' }, { id: 'c1' }],
  [
    'listComments',
    { linearIssueId: 'ENG-1' },
    { comments: [{ id: 'c1' }, { id: 'c2', parent: { id: 'c1' } }], count: 2 },
    { id: 'ENG-1', first: 50 },
  ],
])('%s asks as the schema describes and gives its outputs', async (operation, data, output, variables) => {
  const inputs = { start: { title: 'Größe "ü" 🎉' } };
  const { result, seen } = await run({ linearOperation: operation, ...data }, { inputs });
  expect(result).toMatchObject({ output: { success: true, operation, ...output } });
  expect(seen.map(getVariables)).toEqual([variables]);
});

test('all pages are read, each from the cursor of the one before', async () => {
  const { result, seen } = await run({ linearReturnAll: true });
  expect(result).toMatchObject({ output: { count: 260, pageInfo: { hasNextPage: false } } });
  expect(seen.map(getVariables)).toEqual([
    { first: 100 },
    { first: 100, after: 'cursor-100' },
    { first: 100, after: 'cursor-200' },
  ]);
});

test('a limit beyond one page asks for just as many', async () => {
  const { result, seen } = await run({ linearLimit: '130' });
  expect(result).toMatchObject({ output: { count: 130, pageInfo: { endCursor: 'cursor-130' } } });
  expect(seen.map(getVariables)).toEqual([{ first: 100 }, { first: 30, after: 'cursor-100' }]);
});

const LIMITED: ServerAnswer = {
  status: 400,
  headers: { 'x-ratelimit-requests-remaining': '0', 'x-ratelimit-requests-reset': '1' },
  body: { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED' } }] },
};

test('a limit, which comes with status 400, is waited for even by what must not be repeated', async () => {
  const { result, seen } = await run(
    { linearOperation: 'createComment', linearIssueId: 'i1', linearCommentBody: 'x' },
    { answers: [LIMITED] },
  );
  expect(result).toMatchObject({ output: { success: true } });
  expect(seen).toHaveLength(2);
});

test('a limit that lasts fails with the time to wait', async () => {
  const headers = {
    'x-ratelimit-requests-remaining': '0',
    'x-ratelimit-requests-reset': String(Date.UTC(2100, 0, 1)),
  };
  const { result, seen } = await run({}, { answers: [{ ...LIMITED, headers }] });
  expect(result).toMatchObject({
    failure: { message: expect.stringMatching(/rate limiting.*try again in \d+ s/) },
  });
  expect(seen).toHaveLength(1);
});

test('what the service does not find fails with its words', async () => {
  const { result } = await run({ linearOperation: 'getIssue', linearIssueId: 'none' });
  expect(result).toMatchObject({
    failure: { kind: 'upstream', message: expect.stringContaining('Entity not found') },
  });
});

test('the words meant for people are preferred', async () => {
  const errors = [
    { message: 'INPUT_ERROR', extensions: { userPresentableMessage: 'The title is too long.' } },
  ];
  const { result } = await run({}, { answers: [{ body: { data: null, errors } }] });
  expect(result).toMatchObject({ failure: { message: 'Linear: The title is too long.' } });
});

test('a change that was not carried out fails', async () => {
  const { result } = await run({ linearOperation: 'createIssue', linearTeamId: 't1', linearTitle: 'refuse' });
  expect(result).toMatchObject({ failure: { kind: 'upstream' } });
});

test('creating is not sent again after a server error, reading is', async () => {
  const broken = { status: 502, body: 'Bad gateway' };
  const created = await run(
    { linearOperation: 'createIssue', linearTeamId: 't1', linearTitle: 'x' },
    { answers: [broken] },
  );
  expect(created.result).toMatchObject({ failure: { message: expect.stringContaining('502') } });
  expect(created.seen).toHaveLength(1);
  const read = await run({}, { answers: [broken] });
  expect(read.result).toMatchObject({ output: { success: true } });
  expect(read.seen).toHaveLength(2);
});

test('a refused key is a problem of the credential, told without the key', async () => {
  const { result } = await run({}, { key: 'lin_api_old' });
  expect(result).toMatchObject({
    failure: { kind: 'credential', final: true, message: expect.stringContaining('Authentication required') },
  });
  expect(JSON.stringify(result)).not.toContain('lin_api');
});

test.each<[JsonObject, string]>([
  [{ linearOperation: 'createIssue', linearTitle: 'x' }, 'linearTeamId'],
  [{ linearOperation: 'createIssue', linearTeamId: 't1' }, 'linearTitle'],
  [{ linearOperation: 'updateIssue', linearIssueId: 'i1' }, 'linearTitle'],
  [{ linearOperation: 'updateIssue', linearIssueId: 'i1', linearPriority: 'high' }, 'linearPriority'],
  [{ linearOperation: 'listTeamMembers' }, 'linearTeamId'],
  [{ linearLimit: 'many' }, 'linearLimit'],
  [{ linearOperation: 'archiveTeam' }, 'linearOperation'],
])('%o fails before anything is asked, and names %s', async (data, field) => {
  const { result, seen } = await run(data);
  expect(result).toMatchObject({ failure: { kind: 'params', field } });
  expect(seen).toEqual([]);
});

test.each([
  ['listIssues', 'read'],
  ['createIssue', 'unsafe'],
  ['createComment', 'unsafe'],
  ['updateIssue', 'idempotent'],
  ['deleteComment', 'idempotent'],
])('%s has the effect %s', (linearOperation, effect) => {
  expect(getEffect('linear', { linearOperation })).toBe(effect);
});

test('teams, projects, states and members can be chosen', async () => {
  const server = await serveJson(linearApi);
  const { choices } = implementations.get('linear') ?? {};
  const http = egressTo(LINEAR.address, server.url);
  const context = choiceContext(http, { api_key: 'lin_api_canary' });
  const ask = (list: string, params = {}) => choices?.[list]?.(context, { params, search: '', cursor: null });
  expect(await ask('teams')).toEqual({
    items: [{ value: 't1', label: 'Engineering', hint: 'ENG' }],
    next_cursor: null,
  });
  expect((await ask('projects'))?.items).toHaveLength(2);
  expect((await ask('projects', { linearTeamId: 't1' }))?.items).toEqual([{ value: 'p1', label: 'Search' }]);
  expect((await ask('states', { linearTeamId: 't1' }))?.items).toEqual([
    { value: 's1', label: 'Todo', hint: 'Engineering' },
  ]);
  expect((await ask('members', { linearTeamId: 't1' }))?.items).toEqual([
    { value: 'u1', label: 'Zoë', hint: 'zoe@example.com' },
  ]);
  expect((await ask('members'))?.items).toEqual([]);
});
