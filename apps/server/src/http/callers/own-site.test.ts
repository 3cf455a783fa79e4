import type { Workflow } from '@millrace/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { graph } from '../../resources/executions/testing/workflows.ts';
import { useTestApp } from '../../testing/test-app.ts';

const app = await useTestApp();
const owner = await app.user();
const HOST = 'millrace.example.com';
let workflow_id = '';
let cookie = '';

beforeAll(async () => {
  const content = graph(
    [
      ['start', 'textInput'],
      ['out', 'output', { message: '$start.text' }],
    ],
    ['start>out'],
  );
  const made = await owner.call('POST', '/api/workflows', { name: 'Called', ...content });
  workflow_id = made.json<Workflow>().id;
  cookie = `access_token=${owner.access_token}`;
});

const path = (rest = '') => `/api/workflows/${workflow_id}/execute${rest}`;
const send = (
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  headers: Record<string, string>,
  payload?: string,
) =>
  app.app.inject({
    method,
    url,
    headers: { host: HOST, cookie, ...headers },
    ...(payload ? { payload } : {}),
  });

async function countRuns(): Promise<number> {
  const { rows } = await app.services.database.sql.query<{ n: number }>({
    text: 'SELECT count(*)::int AS n FROM runs WHERE workflow_id = $1',
    values: [workflow_id],
  });
  return rows[0]?.n ?? 0;
}

const JSON_BODY = { 'content-type': 'application/json' };

describe('what a page of another site makes the browser of a signed-in person send', () => {
  test.each([
    ['a link', 'GET', '?test_run=true&text=x', { 'sec-fetch-site': 'cross-site' }, undefined],
    [
      'a form',
      'POST',
      '?test_run=true',
      { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain', origin: 'https://evil.example' },
      '{"text":"x"}',
    ],
    ['a neighbour', 'POST', '', { 'sec-fetch-site': 'same-site', ...JSON_BODY }, '{"text":"x"}'],
    ['an Origin alone', 'POST', '', { origin: 'https://evil.example', ...JSON_BODY }, '{"text":"x"}'],
    ['a sandboxed frame', 'POST', '', { origin: 'null', ...JSON_BODY }, '{"text":"x"}'],
  ] as const)('starts nothing: %s', async (...[, method, query, headers, body]) => {
    const before = await countRuns();
    const answer = await send(method, path(query), headers, body);
    expect(answer.statusCode, answer.body).toBe(403);
    expect(answer.json()).toMatchObject({ detail: expect.stringContaining('another site') });
    expect(await countRuns()).toBe(before);
  });

  test('changes nothing: a form to another endpoint', async () => {
    const body = JSON.stringify({ name: 'Renamed' });
    const headers = { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' };
    expect((await send('PUT', `/api/workflows/${workflow_id}`, headers, body)).statusCode).toBe(403);
    const foreign = { origin: 'https://evil.example', ...JSON_BODY };
    expect((await send('PUT', `/api/workflows/${workflow_id}`, foreign, body)).statusCode).toBe(403);
    const now = (await owner.call('GET', `/api/workflows/${workflow_id}`)).json<Workflow>();
    expect(now.name).toBe('Called');
  });

  test('tries nothing out by a link without such headers, as old browsers send it', async () => {
    expect((await send('GET', path('?test_run=true&text=x'), {})).statusCode).toBe(405);
  });
});

describe('what stays possible', () => {
  test.each([
    ['our own pages', { 'sec-fetch-site': 'same-origin', origin: `https://${HOST}` }],
    ['our own pages without TLS', { origin: `http://${HOST}` }],
    ['programs that keep the cookie', {}],
  ])('a call with the session: %s', async (_name, headers) => {
    const answer = await send('POST', path('?test_run=true'), { ...JSON_BODY, ...headers }, '{"text":"x"}');
    expect(answer.statusCode, answer.body).toBe(200);
  });

  test('a call with a token, from anywhere', async () => {
    const headers = {
      authorization: `Bearer ${owner.access_token}`,
      'sec-fetch-site': 'cross-site',
      ...JSON_BODY,
    };
    const answer = await send('POST', path(), headers, '{"text":"x"}');
    expect(answer.statusCode, answer.body).toBe(200);
  });

  test('a link of another site to something that only reads', async () => {
    const answer = await send('GET', `/api/workflows/${workflow_id}`, { 'sec-fetch-site': 'cross-site' });
    expect(answer.statusCode).toBe(200);
  });
});
