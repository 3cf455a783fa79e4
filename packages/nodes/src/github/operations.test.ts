import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import type { SeenRequest, ServerAnswer } from '../testing/servers/json-server.ts';
import { base64, FILE as file, REPO, runGithub, URL_OF, WORKFLOW as workflow } from './testing/github-api.ts';

const shown = { url: 'https://github.com/x' };
const issue = { id: 1, number: 12, title: 'Größe', state: 'open', ...URL_OF };
const pull = { number: 3, title: 'New', state: 'open', ...URL_OF };
const review = { id: 80, state: 'APPROVED', ...URL_OF };
const release = { id: 9_007_199_254_740_991, tag_name: 'v1', ...URL_OF };
const outlined = { name: file.name, path: file.path, sha: file.sha, size: 7, ...shown };

type Seen = Partial<SeenRequest> & { readonly call: string };
/** Operation, parameters, answer, request as the provider's page describes it, output. */
type Row = [string, JsonObject, ServerAnswer, Seen, JsonObject];

const listing = { query: { per_page: '30' } };

/** https://docs.github.com/en/rest/repos and https://docs.github.com/en/rest/orgs/members */
const REPOSITORIES: Row[] = [
  [
    'getRepository',
    {},
    { body: { full_name: 'octo/hello', default_branch: 'main', private: true, ...URL_OF } },
    { call: `GET ${REPO}` },
    {
      repository: { full_name: 'octo/hello', default_branch: 'main', private: true, ...URL_OF },
      full_name: 'octo/hello',
      default_branch: 'main',
      private: true,
      ...shown,
    },
  ],
  [
    'getRepositoryLicense',
    {},
    { body: { license: { name: 'MIT License', spdx_id: 'MIT' }, encoding: 'base64', content: base64('ü') } },
    { call: `GET ${REPO}/license` },
    {
      license: {
        license: { name: 'MIT License', spdx_id: 'MIT' },
        encoding: 'base64',
        content: base64('ü'),
      },
      name: 'MIT License',
      spdx_id: 'MIT',
      content: 'ü',
    },
  ],
  [
    'getRepositoryProfile',
    {},
    { body: { health_percentage: 42, description: null } },
    { call: `GET ${REPO}/community/profile` },
    {
      profile: { health_percentage: 42, description: null },
      health_percentage: 42,
      description: null,
    },
  ],
  [
    'listPopularPaths',
    {},
    { body: [{ path: '/' }] },
    { call: `GET ${REPO}/traffic/popular/paths`, query: {} },
    { paths: [{ path: '/' }], count: 1 },
  ],
  [
    'listReferrers',
    {},
    { body: [] },
    { call: `GET ${REPO}/traffic/popular/referrers`, query: {} },
    { referrers: [], count: 0 },
  ],
  [
    'listOrganizationRepositories',
    { githubPerPage: '5' },
    { body: [{ name: 'hello' }] },
    { call: 'GET /orgs/octo/repos', query: { per_page: '5' } },
    { repositories: [{ name: 'hello' }], count: 1 },
  ],
  [
    'listUserRepositories',
    {},
    { body: [] },
    { call: 'GET /users/octo/repos', ...listing },
    { repositories: [], count: 0 },
  ],
  [
    'getUserRepositories',
    {},
    { body: [] },
    { call: 'GET /users/octo/repos', ...listing },
    { repositories: [], count: 0 },
  ],
  [
    'inviteUser',
    { githubOrganization: 'acme', githubInviteEmail: 'zoë@example.com' },
    { status: 201, body: { id: 4, email: 'zoë@example.com' } },
    { call: 'POST /orgs/acme/invitations', body: { email: 'zoë@example.com' } },
    { invitation: { id: 4, email: 'zoë@example.com' }, id: 4, email: 'zoë@example.com' },
  ],
];

/** https://docs.github.com/en/rest/issues/issues and /comments */
const ISSUES: Row[] = [
  [
    'listIssues',
    {
      githubState: 'all',
      githubLabelsFilter: 'bug,ui',
      githubSince: '2026-01-01T00:00:00Z',
      githubSort: 'updated',
      githubDirection: 'asc',
      githubAssignee: '*',
      githubCreator: 'zoe',
      githubMentioned: 'ada',
    },
    { body: [issue, { number: 13, pull_request: { url: 'https://x' } }] },
    {
      call: `GET ${REPO}/issues`,
      query: {
        state: 'all',
        labels: 'bug,ui',
        since: '2026-01-01T00:00:00Z',
        sort: 'updated',
        direction: 'asc',
        assignee: '*',
        creator: 'zoe',
        mentioned: 'ada',
        per_page: '30',
      },
    },
    { issues: [issue], count: 1 },
  ],
  [
    'getRepositoryIssues',
    {},
    { body: [] },
    { call: `GET ${REPO}/issues`, query: { state: 'open', per_page: '30' } },
    { issues: [], count: 0 },
  ],
  [
    'getUserIssues',
    { githubMentioned: 'me' },
    { body: [issue] },
    { call: 'GET /issues', query: { filter: 'mentioned', state: 'open', per_page: '30' } },
    { issues: [issue], count: 1 },
  ],
  [
    'getIssue',
    { githubIssueNumber: '#12' },
    { body: issue },
    { call: `GET ${REPO}/issues/12` },
    { issue, number: 12, title: 'Größe', state: 'open', ...shown },
  ],
  [
    'createIssue',
    { githubTitle: 'Größe', githubBody: '**x**', githubLabels: '["bug"]', githubAssignees: '["zoe"]' },
    { status: 201, body: issue },
    {
      call: `POST ${REPO}/issues`,
      body: { title: 'Größe', body: '**x**', labels: ['bug'], assignees: ['zoe'] },
    },
    { issue, number: 12, title: 'Größe', ...shown },
  ],
  [
    'updateIssue',
    {
      githubIssueNumber: 12,
      githubState: 'closed',
      githubStateReason: 'not_planned',
      githubAssignees: '[]',
    },
    { body: issue },
    {
      call: `PATCH ${REPO}/issues/12`,
      body: { state: 'closed', state_reason: 'not_planned', assignees: [] },
    },
    { issue, number: 12, title: 'Größe', state: 'open', ...shown },
  ],
  [
    'lockIssue',
    { githubIssueNumber: '12', githubLockReason: 'too heated' },
    { status: 204, body: '' },
    { call: `PUT ${REPO}/issues/12/lock`, body: { lock_reason: 'too heated' } },
    { issue_number: 12, locked: true, lock_reason: 'too heated' },
  ],
  [
    'createComment',
    { githubIssueNumber: '12', githubCommentBody: 'Done 🎉' },
    { status: 201, body: { id: 5, ...URL_OF } },
    { call: `POST ${REPO}/issues/12/comments`, body: { body: 'Done 🎉' } },
    { comment: { id: 5, ...URL_OF }, id: 5, ...shown },
  ],
];

/** https://docs.github.com/en/rest/pulls/pulls and /reviews */
const PULLS: Row[] = [
  [
    'listPullRequests',
    { githubSort: 'long-running', githubState: 'closed' },
    { body: [pull] },
    { call: `GET ${REPO}/pulls`, query: { state: 'closed', sort: 'long-running', per_page: '30' } },
    { pull_requests: [pull], count: 1 },
  ],
  [
    'getRepositoryPullRequests',
    {},
    { body: [] },
    { call: `GET ${REPO}/pulls`, query: { state: 'open', per_page: '30' } },
    { pull_requests: [], count: 0 },
  ],
  [
    'createPullRequest',
    { githubTitle: 'New', githubHead: 'zoe:fix', githubBody: 'why', githubDraft: true },
    { status: 201, body: pull },
    {
      call: `POST ${REPO}/pulls`,
      body: { title: 'New', head: 'zoe:fix', base: 'main', draft: true, body: 'why' },
    },
    { pull_request: pull, number: 3, title: 'New', ...shown },
  ],
  [
    'listReviews',
    { githubPullRequestNumber: '3' },
    { body: [review] },
    { call: `GET ${REPO}/pulls/3/reviews`, ...listing },
    { reviews: [review], count: 1 },
  ],
  [
    'getReview',
    { githubPullRequestNumber: '3', githubReviewId: '80' },
    { body: review },
    { call: `GET ${REPO}/pulls/3/reviews/80` },
    { review, id: 80, state: 'APPROVED', ...shown },
  ],
  [
    'createReview',
    { githubPullRequestNumber: '3', githubReviewEvent: 'PENDING', githubCommitId: 'abc' },
    { body: review },
    { call: `POST ${REPO}/pulls/3/reviews`, body: { commit_id: 'abc' } },
    { review, id: 80, state: 'APPROVED', ...shown },
  ],
  [
    'updateReview',
    { githubPullRequestNumber: '3', githubReviewId: '80', githubReviewBody: 'Better' },
    { body: review },
    { call: `PUT ${REPO}/pulls/3/reviews/80`, body: { body: 'Better' } },
    { review, id: 80, state: 'APPROVED', ...shown },
  ],
];

const RELEASED = { release, id: 9_007_199_254_740_991, tag_name: 'v1', ...shown };

/** https://docs.github.com/en/rest/releases/releases and https://docs.github.com/en/rest/actions/workflows */
const RELEASES: Row[] = [
  [
    'listReleases',
    {},
    { body: [release] },
    { call: `GET ${REPO}/releases`, ...listing },
    { releases: [release], count: 1 },
  ],
  [
    'getRelease',
    { githubReleaseId: '9007199254740993' },
    { body: release },
    { call: `GET ${REPO}/releases/9007199254740993` },
    RELEASED,
  ],
  [
    'createRelease',
    { githubTagName: 'v1', githubTitle: 'One', githubBranch: 'next', githubPrerelease: true },
    { status: 201, body: release },
    {
      call: `POST ${REPO}/releases`,
      body: { tag_name: 'v1', name: 'One', target_commitish: 'next', draft: false, prerelease: true },
    },
    RELEASED,
  ],
  [
    'updateRelease',
    { githubReleaseId: '7', githubDraft: false },
    { body: release },
    { call: `PATCH ${REPO}/releases/7`, body: { draft: false } },
    RELEASED,
  ],
  [
    'deleteRelease',
    { githubReleaseId: '7' },
    { status: 204, body: '' },
    { call: `DELETE ${REPO}/releases/7` },
    { deleted: true, release_id: '7' },
  ],
  [
    'listWorkflows',
    {},
    { body: { total_count: 1, workflows: [workflow] } },
    { call: `GET ${REPO}/actions/workflows`, ...listing },
    { workflows: [workflow], count: 1 },
  ],
  [
    'getWorkflow',
    { githubWorkflowId: 'ci.yml' },
    { body: workflow },
    { call: `GET ${REPO}/actions/workflows/ci.yml` },
    { workflow, ...workflow },
  ],
  [
    'enableWorkflow',
    { githubWorkflowId: '161335' },
    { status: 204, body: '' },
    { call: `PUT ${REPO}/actions/workflows/161335/enable` },
    { workflow_id: '161335', enabled: true },
  ],
  [
    'disableWorkflow',
    { githubWorkflowId: 'ci.yml' },
    { status: 204, body: '' },
    { call: `PUT ${REPO}/actions/workflows/ci.yml/disable` },
    { workflow_id: 'ci.yml', disabled: true },
  ],
  [
    'getWorkflowUsage',
    { githubWorkflowId: 'ci.yml' },
    { body: { billable: { UBUNTU: { total_ms: 180_000 } } } },
    { call: `GET ${REPO}/actions/workflows/ci.yml/timing` },
    {
      workflow_id: 'ci.yml',
      usage: { billable: { UBUNTU: { total_ms: 180_000 } } },
      billable: { UBUNTU: { total_ms: 180_000 } },
    },
  ],
];

/** https://docs.github.com/en/rest/repos/contents */
const FILES: Row[] = [
  [
    'getFile',
    { githubFilePath: '/docs/a b.md', githubBranch: 'next' },
    { body: file },
    { call: `GET ${REPO}/contents/docs/a%20b.md`, query: { ref: 'next' } },
    {
      file: { ...outlined, content: 'Grüße', encoding: 'base64' },
      path: 'docs/a b.md',
      sha: file.sha,
      content: 'Grüße',
    },
  ],
  [
    'listFiles',
    {},
    { body: [file] },
    { call: `GET ${REPO}/contents`, query: {} },
    { items: [{ ...outlined, type: 'file' }], path: '', count: 1 },
  ],
];

test.each([...REPOSITORIES, ...ISSUES, ...PULLS, ...RELEASES, ...FILES])(
  '%s asks as the API describes and gives the outputs of the facts',
  async (...[githubOperation, data, answer, { call, ...request }, output]) => {
    const { result, seen } = await runGithub({ githubOperation, ...data }, { [call]: answer });
    expect(result).toEqual({ output: { success: true, operation: githubOperation, ...output } });
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([call]);
    for (const [name, value] of Object.entries(request)) {
      expect(seen[0]?.[name as keyof SeenRequest]).toEqual(value);
    }
  },
);
