import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import type { SeenRequest, ServerAnswer } from '../testing/servers/json-server.ts';
import { type Options, runJira } from './testing/jira-api.ts';

const API = '/rest/api/3';
const ISSUE = `${API}/issue/ENG-1`;
const issue = { id: '9007199254740993', key: 'ENG-1', fields: { summary: 'Größe' } };
const comment = { id: '7', body: { type: 'doc' } };
const doc = (...lines: string[]) => ({
  type: 'doc',
  version: 1,
  content: lines.map((text) => ({
    type: 'paragraph',
    content: text === '' ? [] : [{ type: 'text', text }],
  })),
});

type Seen = Partial<SeenRequest> & { readonly call: string };
/** Operation, parameters, answer, request as the provider's page describes it, output. */
type Row = [string, JsonObject, ServerAnswer, Seen, JsonObject, Options?];

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/ */
const CLOUD: Row[] = [
  [
    'getMyself',
    {},
    { body: { accountId: 'a1' } },
    { call: `GET ${API}/myself` },
    { user: { accountId: 'a1' } },
  ],
  [
    'searchIssues',
    { jiraLimit: '2' },
    { body: { issues: [issue], nextPageToken: 'CAEaAggD', isLast: true } },
    {
      call: `POST ${API}/search/jql`,
      body: {
        jql: 'updated >= -30d ORDER BY updated DESC',
        maxResults: 2,
        fields: ['key', 'summary', 'status', 'assignee', 'issuetype'],
      },
    },
    { issues: [issue], count: 1, pagination: { maxResults: 2, nextPageToken: null, isLast: true } },
  ],
  [
    'searchIssues',
    {
      jiraLimit: '1',
      jiraJql: 'project = "ENG" & x',
      jiraFields: 'summary, status',
      jiraNextPageToken: 'CAE',
    },
    { body: { issues: [issue], nextPageToken: 'CAF' } },
    {
      call: `POST ${API}/search/jql`,
      body: {
        jql: 'project = "ENG" & x',
        maxResults: 1,
        fields: ['summary', 'status'],
        nextPageToken: 'CAE',
      },
    },
    { issues: [issue], count: 1, pagination: { maxResults: 1, nextPageToken: 'CAF', isLast: false } },
  ],
  ['getIssue', {}, { body: issue }, { call: `GET ${ISSUE}` }, { issue, key: 'ENG-1' }],
  [
    'createIssue',
    {
      jiraProjectKey: 'ENG',
      jiraSummary: 'Größe',
      jiraDescription: 'One\n\nTwo 🎉',
      jiraAssigneeAccountId: 'a1',
      jiraLabels: '["bug"]',
    },
    { status: 201, body: { id: '10', key: 'ENG-2' } },
    {
      call: `POST ${API}/issue`,
      body: {
        fields: {
          project: { key: 'ENG' },
          issuetype: { name: 'Task' },
          summary: 'Größe',
          description: doc('One', '', 'Two 🎉'),
          assignee: { id: 'a1' },
          labels: ['bug'],
        },
      },
    },
    { issue: { id: '10', key: 'ENG-2' }, key: 'ENG-2' },
  ],
  ['deleteIssue', {}, { status: 204, body: '' }, { call: `DELETE ${ISSUE}` }, { deleted: true }],
  [
    'getIssueChangelog',
    { jiraStartAt: '5', jiraLimit: '10' },
    { body: { values: [{ id: '1' }], total: 6, isLast: true } },
    { call: `GET ${ISSUE}/changelog`, query: { startAt: '5', maxResults: '10' } },
    {
      changelog: [{ id: '1' }],
      count: 1,
      pagination: { startAt: 5, maxResults: 10, total: 6, isLast: true },
    },
  ],
  [
    'listTransitions',
    {},
    { body: { transitions: [{ id: '31', name: 'Done' }] } },
    { call: `GET ${ISSUE}/transitions` },
    { transitions: [{ id: '31', name: 'Done' }], count: 1 },
  ],
  [
    'notifyIssue',
    { jiraNotifySubject: 'S', jiraNotifyTextBody: 'T', jiraNotifyTo: '{"watchers": true}' },
    { status: 204, body: '' },
    { call: `POST ${ISSUE}/notify`, body: { subject: 'S', textBody: 'T', to: { watchers: true } } },
    { notified: true },
  ],
  [
    'listComments',
    {},
    { body: { comments: [comment], total: 1, startAt: 0, maxResults: 50 } },
    { call: `GET ${ISSUE}/comment`, query: { startAt: '0', maxResults: '50' } },
    {
      comments: [comment],
      count: 1,
      pagination: { startAt: 0, maxResults: 50, total: 1, isLast: true },
    },
  ],
  ['getComment', { jiraCommentId: 7 }, { body: comment }, { call: `GET ${ISSUE}/comment/7` }, { comment }],
  [
    'createComment',
    { jiraCommentBody: 'Done' },
    { status: 201, body: comment },
    { call: `POST ${ISSUE}/comment`, body: { body: doc('Done') } },
    { comment },
  ],
  [
    'updateComment',
    { jiraCommentId: '7', jiraCommentBody: JSON.stringify(doc('own')) },
    { body: comment },
    { call: `PUT ${ISSUE}/comment/7`, body: { body: doc('own') } },
    { comment },
  ],
  [
    'deleteComment',
    { jiraCommentId: '7' },
    { status: 404, body: {} },
    { call: `DELETE ${ISSUE}/comment/7` },
    { deleted: false },
  ],
  [
    'getAttachment',
    { jiraAttachmentId: '10' },
    { body: { id: 10, filename: 'ü.txt' } },
    { call: `GET ${API}/attachment/10` },
    { attachment: { id: 10, filename: 'ü.txt' } },
  ],
  [
    'listAttachments',
    { jiraStartAt: '1', jiraLimit: '1' },
    { body: { fields: { attachment: [{ id: '1' }, { id: '2' }, { id: '3' }] } } },
    { call: `GET ${ISSUE}`, query: { fields: 'attachment' } },
    {
      attachments: [{ id: '2' }],
      count: 1,
      pagination: { startAt: 1, maxResults: 1, total: 3, isLast: false },
    },
  ],
  [
    'deleteAttachment',
    { jiraAttachmentId: '10' },
    { status: 204, body: '' },
    { call: `DELETE ${API}/attachment/10` },
    { deleted: true },
  ],
  [
    'listProjects',
    {},
    { body: { values: [{ key: 'ENG' }], total: 1, isLast: true } },
    { call: `GET ${API}/project/search`, query: { startAt: '0', maxResults: '50' } },
    {
      projects: [{ key: 'ENG' }],
      count: 1,
      pagination: { startAt: 0, maxResults: 50, total: 1, isLast: true },
    },
  ],
  [
    'getUser',
    { jiraAccountId: '557058:a' },
    { body: { accountId: '557058:a' } },
    { call: `GET ${API}/user`, query: { accountId: '557058:a' } },
    { user: { accountId: '557058:a' } },
  ],
  [
    'createUser',
    { jiraUserEmail: 'z@example.com', jiraUserProducts: 'jira-software' },
    { status: 201, body: { accountId: 'a2' } },
    {
      call: `POST ${API}/user`,
      body: { emailAddress: 'z@example.com', products: ['jira-software'] },
    },
    { user: { accountId: 'a2' } },
  ],
  [
    'deleteUser',
    { jiraAccountId: 'a2' },
    { status: 204, body: '' },
    { call: `DELETE ${API}/user`, query: { accountId: 'a2' } },
    { deleted: true },
  ],
];

const OLD = '/rest/api/2';
const ON_SERVER: Options = { config: { deployment: 'server' } };

/** https://docs.atlassian.com/software/jira/docs/api/REST/latest/ */
const SERVER: Row[] = [
  [
    'searchIssues',
    { jiraLimit: '1', jiraNextPageToken: '4' },
    { body: { issues: [issue], startAt: 4, maxResults: 1, total: 9 } },
    {
      call: `POST ${OLD}/search`,
      body: {
        jql: 'updated >= -30d ORDER BY updated DESC',
        startAt: 4,
        maxResults: 1,
        fields: ['key', 'summary', 'status', 'assignee', 'issuetype'],
      },
    },
    { issues: [issue], count: 1, pagination: { maxResults: 1, nextPageToken: '5', isLast: false } },
    ON_SERVER,
  ],
  [
    'createIssue',
    {
      jiraProjectKey: 'ENG',
      jiraIssueTypeId: '3',
      jiraSummary: 's',
      jiraDescription: 'One\nTwo',
      jiraAssigneeAccountId: 'zoe',
    },
    { status: 201, body: { key: 'ENG-2' } },
    {
      call: `POST ${OLD}/issue`,
      body: {
        fields: {
          project: { key: 'ENG' },
          issuetype: { id: '3' },
          summary: 's',
          description: 'One\nTwo',
          assignee: { name: 'zoe' },
        },
      },
    },
    { issue: { key: 'ENG-2' }, key: 'ENG-2' },
    ON_SERVER,
  ],
  [
    'getIssueChangelog',
    { jiraStartAt: '1' },
    { body: { changelog: { histories: [{ id: '1' }, { id: '2' }] } } },
    { call: `GET ${OLD}/issue/ENG-1`, query: { expand: 'changelog', fields: 'summary' } },
    {
      changelog: [{ id: '2' }],
      count: 1,
      pagination: { startAt: 1, maxResults: 50, total: 2, isLast: true },
    },
    ON_SERVER,
  ],
  [
    'listProjects',
    { jiraLimit: '1' },
    { body: [{ key: 'A' }, { key: 'B' }] },
    { call: `GET ${OLD}/project`, query: {} },
    {
      projects: [{ key: 'A' }],
      count: 1,
      pagination: { startAt: 0, maxResults: 1, total: 2, isLast: false },
    },
    ON_SERVER,
  ],
  [
    'createUser',
    { jiraUsername: 'zoe', jiraUserEmail: 'z@example.com' },
    { status: 201, body: { name: 'zoe' } },
    {
      call: `POST ${OLD}/user`,
      body: { name: 'zoe', emailAddress: 'z@example.com', displayName: 'zoe' },
    },
    { user: { name: 'zoe' } },
    ON_SERVER,
  ],
  [
    'deleteUser',
    { jiraUsername: 'zoe' },
    { status: 204, body: '' },
    { call: `DELETE ${OLD}/user`, query: { username: 'zoe' } },
    { deleted: true },
    ON_SERVER,
  ],
  [
    'createComment',
    { jiraCommentBody: 'Done' },
    { status: 201, body: comment },
    { call: `POST ${OLD}/issue/ENG-1/comment`, body: { body: 'Done' } },
    { comment },
    { config: { api_version: '2' } },
  ],
];

test.each([...CLOUD, ...SERVER])(
  '%s asks as the API describes and gives the outputs of the facts',
  async (...[jiraOperation, data, answer, { call, ...request }, output, options]) => {
    const { result, seen } = await runJira({ jiraOperation, ...data }, { [call]: answer }, options);
    expect(result).toEqual({ output: { success: true, operation: jiraOperation, ...output } });
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([call]);
    for (const [name, value] of Object.entries(request)) {
      expect(seen[0]?.[name as keyof SeenRequest]).toEqual(value);
    }
  },
);
