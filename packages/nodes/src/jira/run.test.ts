import type { JsonObject } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import { choiceContext } from '../testing/choice-context.ts';
import { realEgress } from '../testing/real-egress.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';
import { getEffect } from '../testing/servers/test-service.ts';
import { jiraApi, type Routes, runJira } from './testing/jira-api.ts';

const API = '/rest/api/3';
const ISSUE = `${API}/issue/ENG-1`;
const issue = { id: '1', key: 'ENG-1' };
const DONE = { status: 204, body: '' };

test('a server, which lists all its projects, is asked for them once', async () => {
  const body = Array.from({ length: 150 }, (_, index) => ({ key: `P${index}` }));
  const { result, seen } = await runJira(
    { jiraOperation: 'listProjects', jiraLimit: '120' },
    { 'GET /rest/api/2/project': { body } },
    { config: { deployment: 'server' } },
  );
  expect(result).toMatchObject({ output: { count: 120, pagination: { total: 150, isLast: false } } });
  expect(seen).toHaveLength(1);
});

describe('changes of an issue', () => {
  const change = (
    data: JsonObject,
    routes: Routes = { [`PUT ${ISSUE}`]: DONE, [`GET ${ISSUE}`]: { body: issue } },
  ) => runJira({ jiraOperation: 'updateIssue', ...data }, routes);

  test('send what is set alone, and the issue is read again', async () => {
    const { result, seen } = await change({ jiraSummary: 'New' });
    expect(seen[0]?.body).toEqual({ fields: { summary: 'New' } });
    expect(result).toMatchObject({ output: { issue, key: 'ENG-1' } });
  });

  test('null removes the description and the assignee', async () => {
    const { seen } = await change({ jiraDescription: 'null', jiraAssigneeAccountId: 'null' });
    expect(seen[0]?.body).toEqual({ fields: { description: null, assignee: null } });
  });

  test('another status is a transition, and the issue is read again', async () => {
    const { result, seen } = await runJira(
      { jiraOperation: 'transitionIssue', jiraTransitionId: '31' },
      { [`POST ${ISSUE}/transitions`]: DONE, [`GET ${ISSUE}`]: { body: issue } },
    );
    expect(seen[0]?.body).toEqual({ transition: { id: '31' } });
    expect(result).toMatchObject({ output: { transition: { transitionId: '31' }, issue, key: 'ENG-1' } });
  });
});

test('the pages of a search are followed by their tokens', async () => {
  const search = ({ body }: SeenRequest): ServerAnswer => {
    const { nextPageToken = '0', maxResults } = body as { nextPageToken?: string; maxResults: number };
    const first = Number(nextPageToken);
    const issues = Array.from({ length: Math.min(maxResults, 100) }, (_, n) => ({ id: String(first + n) }));
    const next = first + issues.length;
    return { body: next < 250 ? { issues, nextPageToken: String(next) } : { issues, isLast: true } };
  };
  const routes = { [`POST ${API}/search/jql`]: search };
  const some = await runJira({ jiraLimit: '150' }, routes);
  expect(some.result).toMatchObject({ output: { count: 150, pagination: { nextPageToken: '150' } } });
  expect(some.seen.map(({ body }) => (body as JsonObject)['maxResults'])).toEqual([100, 50]);
  const all = await runJira({ jiraLimit: '0' }, routes);
  expect(all.result).toMatchObject({ output: { count: 300, pagination: { isLast: true } } });
});

test('the pages of a list are followed by their numbers', async () => {
  const comments = ({ query }: SeenRequest): ServerAnswer => {
    const startAt = Number(query['startAt']);
    const size = Math.min(Number(query['maxResults']), 120 - startAt);
    return { body: { comments: Array.from({ length: size }, (_, n) => startAt + n), total: 120 } };
  };
  const { result, seen } = await runJira(
    { jiraOperation: 'listComments', jiraLimit: '0', jiraStartAt: '10' },
    { [`GET ${ISSUE}/comment`]: comments },
  );
  expect(result).toMatchObject({
    output: { count: 110, pagination: { startAt: 10, total: 120, isLast: true } },
  });
  expect(seen).toHaveLength(2);
});

describe('attachments', () => {
  const add = { jiraOperation: 'addAttachment', jiraAttachmentFilename: 'Größe.csv' };
  const added = { [`POST ${ISSUE}/attachments`]: { body: [{ id: '10' }] } };

  test.each([
    ['base64 with its type', 'YSxiCg==', 'text/csv', 'text/csv'],
    ['a data URL', 'data:text/plain;charset=utf-8;base64,YSxiCg==', '', 'text/plain'],
    ['base64 of no known type', 'YSxiCg==', '', 'application/octet-stream'],
  ])('are added from %s as a form', async (_, content, jiraAttachmentMimeType, type) => {
    const { result, seen } = await runJira(
      { ...add, jiraAttachmentBase64: content, jiraAttachmentMimeType },
      added,
    );
    expect(result).toMatchObject({ output: { attachments: [{ id: '10' }], count: 1 } });
    expect(seen[0]?.body).toContain('form-data; name="file"; filename="Größe.csv"');
    expect(seen[0]?.body).toContain(`Content-Type: ${type}\r\n\r\na,b\n\r\n`);
  });

  test('what is no base64 is refused before anything is sent', async () => {
    const { result, seen } = await runJira({ ...add, jiraAttachmentBase64: 'no base64!' }, added);
    expect(result).toMatchObject({ failure: { kind: 'params', field: 'jiraAttachmentBase64' } });
    expect(seen).toEqual([]);
  });

  test('are read with their content, which keeps its bytes', async () => {
    const content = {
      body: '{"json": 1}',
      headers: { 'content-type': 'application/json' },
    };
    const { result, seen } = await runJira(
      { jiraOperation: 'getAttachment', jiraAttachmentId: '10', jiraIncludeBinary: true },
      {
        [`GET ${API}/attachment/10`]: { body: { id: '10' } },
        [`GET ${API}/attachment/content/10`]: content,
      },
    );
    const content_base64 = Buffer.from('{"json": 1}').toString('base64');
    expect(result).toMatchObject({ output: { attachment: { id: '10', content_base64 } } });
    expect(seen[1]?.query).toEqual({ redirect: 'false' });
  });

  test('a server is asked at the address that it names, and no other server is', async () => {
    const read = { jiraOperation: 'getAttachment', jiraAttachmentId: '10', jiraIncludeBinary: true };
    const at = '/secure/attachment/10/a%20b.txt';
    const found = ({ headers }: SeenRequest) => ({
      body: { id: '10', content: `http://${headers['host']}${at}` },
    });
    const config = { deployment: 'server' };
    const own = await runJira(
      read,
      { 'GET /rest/api/2/attachment/10': found, [`GET ${at}`]: { body: 'text' } },
      { config },
    );
    expect(own.result).toMatchObject({ output: { attachment: { content_base64: 'dGV4dA==' } } });
    const elsewhere = { body: { id: '10', content: 'https://evil.example/secure/attachment/10/a' } };
    const other = await runJira(read, { 'GET /rest/api/2/attachment/10': elsewhere }, { config });
    expect(other.result).toMatchObject({ failure: { message: expect.stringContaining('another address') } });
    expect(other.seen).toHaveLength(1);
  });
});

test('a refused field is told with its name', async () => {
  const refusal = {
    status: 400,
    body: { errorMessages: [], errors: { issuetype: 'Specify a valid issue type' } },
  };
  const { result, seen } = await runJira(
    { jiraOperation: 'createIssue', jiraProjectKey: 'ENG', jiraSummary: 's' },
    { [`POST ${API}/issue`]: refusal },
  );
  expect(result).toMatchObject({
    failure: { message: 'Jira rejected the request (status 400): issuetype: Specify a valid issue type' },
  });
  expect(seen).toHaveLength(1);
});

// https://developer.atlassian.com/cloud/jira/platform/rate-limiting/
test('a limit is waited for as long as the service says', async () => {
  let calls = 0;
  const { result, trace } = await runJira(
    { jiraOperation: 'createComment', jiraCommentBody: 'x' },
    {
      [`POST ${ISSUE}/comment`]: () =>
        calls++ === 0 ? { status: 429, headers: { 'retry-after': '7' } } : { body: { id: '1' } },
    },
  );
  expect(result).toMatchObject({ output: { comment: { id: '1' } } });
  expect(trace.slept_until).toHaveLength(1);
});

test('a refused token is a problem of the credential, told without the token', async () => {
  const { result } = await runJira({}, {}, { config: { api_token: 'tok_other' } });
  expect(result).toMatchObject({ failure: { kind: 'credential', final: true } });
  expect(JSON.stringify(result)).not.toContain('tok_');
});

test.each<[JsonObject, string]>([
  [{ jiraOperation: 'getIssue', jiraIssueKey: '$start.none' }, 'jiraIssueKey'],
  [{ jiraOperation: 'createIssue', jiraProjectKey: 'ENG' }, 'jiraSummary'],
  [{ jiraOperation: 'createIssue', jiraProjectKey: 'E', jiraSummary: 's', jiraLabels: '[1' }, 'jiraLabels'],
  [{ jiraOperation: 'updateIssue' }, 'jiraSummary'],
  [
    {
      jiraOperation: 'notifyIssue',
      jiraNotifySubject: 's',
      jiraNotifyTextBody: 't',
      jiraNotifyTo: '[]',
    },
    'jiraNotifyTo',
  ],
  [{ jiraOperation: 'getUser', jiraUsername: 'zoe' }, 'jiraAccountId'],
  [{ jiraLimit: '9999999' }, 'jiraLimit'],
  [{ jiraOperation: 'dropProject' }, 'jiraOperation'],
])('%o fails before anything is asked, and names %s', async (data, field) => {
  const { result, seen } = await runJira(data, {}, { inputs: { start: { none: '' } } });
  expect(result).toMatchObject({ failure: { kind: 'params', field } });
  expect(seen).toEqual([]);
});

test('a key cannot leave its place in the address', async () => {
  const { seen } = await runJira({ jiraOperation: 'getIssue', jiraIssueKey: '../myself?x' }, {});
  expect(seen[0]?.path).toBe(`${API}/issue/..%2Fmyself%3Fx`);
});

test.each([
  ['searchIssues', 'read'],
  ['updateIssue', 'idempotent'],
  ['transitionIssue', 'unsafe'],
  ['addAttachment', 'unsafe'],
])('%s has the effect %s', (jiraOperation, effect) => {
  expect(getEffect('jira', { jiraOperation })).toBe(effect);
});

describe('choices', () => {
  async function loadChoices(
    list: string,
    routes: Routes,
    more: { params?: Record<string, string>; isServer?: boolean; search?: string; cursor?: string } = {},
  ) {
    const { params = {}, isServer = false, search = '', cursor = null } = more;
    const server = await serveJson(jiraApi(routes, isServer));
    const config = {
      email: 'zoe@example.com',
      api_token: 'tok_canary',
      base_url: server.url,
      deployment: isServer ? 'server' : 'cloud',
    };
    const { choices } = implementations.get('jira') ?? {};
    const page = await choices?.[list]?.(choiceContext(realEgress(), config), { params, search, cursor });
    return { page, seen: server.seen };
  }

  test('projects are searched and paged by the site', async () => {
    const routes = {
      [`GET ${API}/project/search`]: { body: { values: [{ key: 'ENG', name: 'Engine' }], isLast: false } },
    };
    const { page, seen } = await loadChoices('projects', routes, { search: 'eng', cursor: '50' });
    expect(page).toEqual({ items: [{ value: 'ENG', label: 'Engine', hint: 'ENG' }], next_cursor: '51' });
    expect(seen[0]?.query).toEqual({ startAt: '50', maxResults: '50', query: 'eng' });
  });

  test('projects of a server are searched here', async () => {
    const routes = {
      'GET /rest/api/2/project': {
        body: [
          { key: 'A', name: 'One' },
          { key: 'B', name: 'Two' },
        ],
      },
    };
    const { page } = await loadChoices('projects', routes, { isServer: true, search: 'tw' });
    expect(page?.items).toEqual([{ value: 'B', label: 'Two', hint: 'B' }]);
  });

  test('types, transitions and people are listed', async () => {
    const routes: Routes = {
      [`GET ${API}/project/ENG`]: { body: { issueTypes: [{ id: '1', name: 'Bug' }] } },
      [`GET ${ISSUE}/transitions`]: { body: { transitions: [{ id: '31', name: 'Done' }] } },
      [`GET ${API}/users/search`]: {
        body: [
          { accountId: 'a1', displayName: 'Zoë', accountType: 'atlassian', active: true },
          { accountId: 'a2', displayName: 'Bot', accountType: 'app', active: true },
        ],
      },
    };
    const params = { jiraProjectKey: 'ENG', jiraIssueKey: 'ENG-1' };
    const items = async (list: string) => (await loadChoices(list, routes, { params })).page?.items;
    expect(await items('issue_types')).toEqual([{ value: 'Bug', label: 'Bug' }]);
    expect(await items('transitions')).toEqual([{ value: '31', label: 'Done' }]);
    expect(await items('users')).toEqual([{ value: 'a1', label: 'Zoë' }]);
  });
});
