import type { JsonObject } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import { choiceContext } from '../testing/choice-context.ts';
import { egressTo } from '../testing/real-egress.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';
import { getEffect } from '../testing/servers/test-service.ts';
import {
  base64,
  FILE as file,
  githubApi,
  HOST,
  REPO,
  type Routes,
  runGithub,
  WORKFLOW as workflow,
} from './testing/github-api.ts';

describe('files that are written', () => {
  const upsert = {
    githubOperation: 'upsertFile',
    githubFilePath: 'docs/a b.md',
    githubFileContent: 'Grüße 2',
    githubCommitMessage: 'Say more',
    githubBranch: 'next',
  };
  const at = `${REPO}/contents/docs/a%20b.md`;
  const saved = { body: { content: { ...file, sha: 'new' }, commit: { sha: 'c1' } } };

  test.each<[string, Routes, JsonObject, boolean]>([
    ['replaces a file by its hash', { [`GET ${at}`]: { body: file } }, { sha: file.sha }, false],
    ['creates one that is not there', { [`GET ${REPO}`]: { body: {} } }, {}, true],
  ])('%s', async (_, routes, known, created) => {
    const { result, seen } = await runGithub(upsert, { ...routes, [`PUT ${at}`]: saved });
    expect(result).toMatchObject({
      output: { path: 'docs/a b.md', sha: 'new', commit_sha: 'c1', created, file: { created } },
    });
    expect(seen.at(-1)).toMatchObject({
      method: 'PUT',
      body: { message: 'Say more', content: base64('Grüße 2'), branch: 'next', ...known },
    });
    expect(seen[0]).toMatchObject({ query: { ref: 'next' } });
  });

  test('makes no second commit of the same content, such as after a crash', async () => {
    const { result, seen } = await runGithub(
      { ...upsert, githubFileContent: 'Grüße' },
      { [`GET ${at}`]: { body: file } },
    );
    expect(result).toMatchObject({ output: { sha: file.sha, commit_sha: null, created: false } });
    expect(seen).toHaveLength(1);
  });

  test('deletes by hash, and what is gone stays gone', async () => {
    const data = { ...upsert, githubOperation: 'deleteFile' };
    const gone = await runGithub(data, { [`GET ${REPO}`]: { body: {} } });
    expect(gone.result).toMatchObject({ output: { deleted: false, sha: null } });
    const { result, seen } = await runGithub(data, {
      [`GET ${at}`]: { body: file },
      [`DELETE ${at}`]: { body: { content: null, commit: { sha: 'c2' } } },
    });
    expect(result).toMatchObject({ output: { deleted: true, sha: file.sha, commit_sha: 'c2' } });
    expect(seen[1]?.body).toEqual({ message: 'Say more', sha: file.sha, branch: 'next' });
  });

  test('a repository that cannot be seen is an error and no missing file or release', async () => {
    for (const githubOperation of ['upsertFile', 'deleteFile', 'deleteRelease']) {
      const { result } = await runGithub({ ...upsert, githubOperation, githubReleaseId: '7' }, {});
      expect(result).toMatchObject({ failure: { message: expect.stringContaining('Not Found') } });
    }
  });

  test('a file above 1 MB is read from its blob, and a binary one has no text', async () => {
    const large = { ...file, encoding: 'none', content: '' };
    const blob = `GET ${REPO}/git/blobs/${file.sha}`;
    const read = { githubOperation: 'getFile', githubFilePath: 'docs/a b.md' };
    const text = await runGithub(read, {
      [`GET ${at}`]: { body: large },
      [blob]: { body: { encoding: 'base64', content: base64('long') } },
    });
    expect(text.result).toMatchObject({ output: { content: 'long' } });
    const binary = { ...file, content: Buffer.from([0xff, 0xfe]).toString('base64') };
    const other = await runGithub(read, { [`GET ${at}`]: { body: binary } });
    expect(other.result).toMatchObject({ output: { content: null, sha: file.sha } });
  });
});

test('pages are followed by their links on the same server', async () => {
  const route = ({ query, headers }: SeenRequest): ServerAnswer => {
    const page = Number(query['page'] ?? '1');
    const next = `<http://${headers['host']}/api/v3/repositories/1/releases?per_page=100&page=${page + 1}>`;
    const body = Array.from({ length: 100 }, (_, n) => ({ id: page * 1000 + n }));
    return { body, headers: page < 3 ? { link: `${next}; rel="next"` } : {} };
  };
  const routes = { [`GET ${REPO}/releases`]: route, 'GET /repositories/1/releases': route };
  const all = await runGithub({ githubOperation: 'listReleases', githubPerPage: '0' }, routes);
  expect(all.result).toMatchObject({ output: { count: 300 } });
  const some = await runGithub({ githubOperation: 'listReleases', githubPerPage: 150 }, routes);
  expect(some.result).toMatchObject({ output: { count: 150 } });
  expect(some.seen).toHaveLength(2);
});

// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
test('a spent limit is waited for until the second that the service names', async () => {
  let calls = 0;
  const limited = {
    status: 403,
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1700000030' },
    body: { message: 'API rate limit exceeded' },
  };
  const { result, trace } = await runGithub(
    {},
    { [`GET ${REPO}`]: () => (calls++ === 0 ? limited : { body: { full_name: 'octo/hello' } }) },
    { now: () => 1_700_000_000_000 },
  );
  expect(result).toMatchObject({ output: { full_name: 'octo/hello' } });
  expect(trace.slept_until).toEqual([1_700_000_030_000]);
});

test('a refused write is told with what is wrong and is not sent again', async () => {
  const refusal = {
    status: 422,
    body: { message: 'Validation Failed', errors: [{ message: 'A pull request already exists.' }] },
  };
  const { result, seen } = await runGithub(
    { githubOperation: 'createPullRequest', githubTitle: 't', githubHead: 'fix' },
    { [`POST ${REPO}/pulls`]: refusal },
  );
  expect(result).toMatchObject({
    failure: {
      message: 'GitHub rejected the request (status 422): Validation Failed (A pull request already exists.)',
    },
  });
  expect(seen).toHaveLength(1);
});

test('a refused token is a problem of the credential, told without the token', async () => {
  const { result } = await runGithub({}, {}, { key: 'ghp_other' });
  expect(result).toMatchObject({ failure: { kind: 'credential', final: true } });
  expect(JSON.stringify(result)).not.toContain('ghp_');
});

test.each<[JsonObject, string]>([
  [{ githubRepo: '$start.none' }, 'githubRepo'],
  [{ githubOperation: 'getIssue', githubIssueNumber: 'twelve' }, 'githubIssueNumber'],
  [{ githubOperation: 'createIssue' }, 'githubTitle'],
  [{ githubOperation: 'createIssue', githubTitle: 't', githubLabels: '{}' }, 'githubLabels'],
  [{ githubOperation: 'updateIssue', githubIssueNumber: '1' }, 'githubTitle'],
  [{ githubOperation: 'updateIssue', githubIssueNumber: '1', githubState: 'all' }, 'githubState'],
  [{ githubOperation: 'lockIssue', githubIssueNumber: '1', githubLockReason: 'x' }, 'githubLockReason'],
  [{ githubOperation: 'updateRelease', githubReleaseId: '1' }, 'githubTitle'],
  [
    { githubOperation: 'createReview', githubPullRequestNumber: '1', githubReviewEvent: 'COMMENT' },
    'githubReviewBody',
  ],
  [{ githubOperation: 'listIssues', githubPerPage: 'many' }, 'githubPerPage'],
  [{ githubOperation: 'dropRepository' }, 'githubOperation'],
])('%o fails before anything is asked, and names %s', async (data, field) => {
  const { result, seen } = await runGithub(data, {}, { inputs: { start: { none: '' } } });
  expect(result).toMatchObject({ failure: { kind: 'params', field } });
  expect(seen).toEqual([]);
});

test('a name cannot leave its place in the address', async () => {
  const { seen } = await runGithub({ githubRepo: 'hello/../../user' }, {});
  expect(seen[0]?.path).toBe('/repos/octo/hello%2F..%2F..%2Fuser');
});

test.each([
  ['listIssues', undefined, 'read'],
  ['upsertFile', undefined, 'idempotent'],
  ['createIssue', undefined, 'unsafe'],
  ['createIssue', 'repeat', 'idempotent'],
  ['dispatchWorkflow', undefined, 'unsafe'],
  ['dispatchWorkflowAndWait', 'repeat', 'steps'],
])('%s with %s has the effect %s', (githubOperation, onUnknownOutcome, effect) => {
  const data = { githubOperation, ...(onUnknownOutcome ? { onUnknownOutcome } : {}) };
  expect(getEffect('github', data)).toBe(effect);
});

test('owners, repositories, branches and workflows can be chosen', async () => {
  const owned = (login: string, name: string) => ({ name, full_name: `${login}/${name}`, owner: { login } });
  const routes: Routes = {
    'GET /user': { body: { login: 'zoe' } },
    'GET /user/orgs': { body: [{ login: 'Octo' }] },
    'GET /user/repos': { body: [owned('zoe', 'a'), { ...owned('Octo', 'hello'), private: true }] },
    'GET /users/other/repos': { body: [owned('other', 'public')] },
    [`GET ${REPO}/branches`]: { body: [{ name: 'main' }] },
    [`GET ${REPO}/actions/workflows`]: { body: { workflows: [workflow] } },
  };
  const server = await serveJson(githubApi(routes, ''));
  const context = choiceContext(egressTo(HOST, server.url), { api_key: 'ghp_canary' });
  const { choices } = implementations.get('github') ?? {};
  const ask = async (list: string, params: Record<string, string> = {}) =>
    (await choices?.[list]?.(context, { params, search: '', cursor: null }))?.items;
  const of = { githubOwner: 'octo', githubRepo: 'hello' };
  expect(await ask('owners')).toEqual([
    { value: 'zoe', label: 'zoe' },
    { value: 'Octo', label: 'Octo' },
  ]);
  expect(await ask('repositories', of)).toEqual([{ value: 'hello', label: 'hello', hint: 'private' }]);
  expect(await ask('repositories', { githubOwner: 'other' })).toEqual([{ value: 'public', label: 'public' }]);
  expect(await ask('branches', of)).toEqual([{ value: 'main', label: 'main' }]);
  expect(await ask('workflows', of)).toEqual([{ value: '161335', label: 'CI', hint: workflow.path }]);
});
