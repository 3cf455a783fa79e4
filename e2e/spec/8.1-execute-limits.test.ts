import { createTestApp, createWorkflow, ECHO, executeUrl, useOwnTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useOwnTestApp();
const user = await app.user();

const LIMIT = { rate_limit_requests: 2, rate_limit_window_seconds: 60 };

const from = (ip: string) => ({ 'x-test-ip': ip });
const call = (id: string, ip: string, rest = '') =>
  app.call('POST', executeUrl(id, rest), { text: 'hi' }, from(ip));
const statuses = async (id: string, ip: string, times: number) => {
  const seen: number[] = [];
  for (let time = 0; time < times; time++) seen.push((await call(id, ip)).statusCode);
  return seen;
};

describe('§8.1 per-workflow execute limits', () => {
  it('§8.1: the scope is workflow id plus client IP', async () => {
    const one = await createWorkflow(user, ECHO, LIMIT);
    const two = await createWorkflow(user, ECHO, LIMIT);
    expect(await statuses(one, '10.0.2.1', 3)).toEqual([200, 200, 429]);
    expect(await statuses(one, '10.0.2.2', 1)).toEqual([200]);
    expect(await statuses(two, '10.0.2.1', 1)).toEqual([200]);
  });

  it('§8.1: the window slides', async () => {
    const id = await createWorkflow(user, ECHO, LIMIT);
    expect(await statuses(id, '10.0.3.1', 1)).toEqual([200]);
    app.clock.now += 40_000;
    expect(await statuses(id, '10.0.3.1', 2)).toEqual([200, 429]);
    app.clock.now += 21_000;
    expect(await statuses(id, '10.0.3.1', 2)).toEqual([200, 429]);
    app.clock.now += 40_000;
    expect(await statuses(id, '10.0.3.1', 1)).toEqual([200]);
  });

  it('§8.1: X-RateLimit-Limit, -Remaining and -Reset on every limited answer, Retry-After on 429', async () => {
    const id = await createWorkflow(user, ECHO, LIMIT);
    const first = await call(id, '10.0.4.1');
    expect(first.headers).toMatchObject({
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': '60',
    });
    expect(first.headers).not.toHaveProperty('retry-after');
    app.clock.now += 10_000;
    expect((await call(id, '10.0.4.1')).headers['x-ratelimit-remaining']).toBe('0');
    const refused = await call(id, '10.0.4.1');
    expect(refused.statusCode).toBe(429);
    expect(refused.headers).toMatchObject({
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '50',
      'retry-after': '50',
    });
  });

  it('§8.1: rate_limit_requests per rate_limit_window_seconds; a refused call does not count, so Retry-After is the truth', async () => {
    const id = await createWorkflow(user, ECHO, LIMIT);
    expect(await statuses(id, '10.0.5.1', 5)).toEqual([200, 200, 429, 429, 429]);
    app.clock.now += 61_000;
    expect(await statuses(id, '10.0.5.1', 1)).toEqual([200]);
  });

  it('§8.1: answers of a workflow without a limit carry no limit headers', async () => {
    const answer = await call(await createWorkflow(user, ECHO), '10.0.6.1');
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });

  it('§8.1: a limit needs both settings', async () => {
    const id = await createWorkflow(user, ECHO, { rate_limit_requests: 1 });
    expect(await statuses(id, '10.0.7.1', 3)).toEqual([200, 200, 200]);
  });

  it('§8.1: cached answers count', async () => {
    const id = await createWorkflow(user, ECHO, { ...LIMIT, cache_ttl_seconds: 60 });
    expect(await statuses(id, '10.0.9.1', 3)).toEqual([200, 200, 429]);
  });

  it('a proxy header is believed only where the operator says so', async () => {
    const id = await createWorkflow(user, ECHO, LIMIT);
    const claims = async (address: string) =>
      (await app.call('POST', executeUrl(id), {}, { ...from('10.0.10.1'), 'x-forwarded-for': address }))
        .statusCode;
    expect([await claims('1.1.1.1'), await claims('1.1.1.2'), await claims('1.1.1.3')]).toEqual([
      200, 200, 429,
    ]);
  });

  it('§8.1: also on a call that is refused after it was counted', async () => {
    const id = await createWorkflow(user, ECHO, LIMIT);
    const headers = { ...from('10.0.9.1'), 'idempotency-key': 'not a key' };
    const refused = await app.call('POST', executeUrl(id), {}, headers);
    expect(refused.statusCode).toBe(422);
    expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' });
  });

  it('§8.1: also on a call that fails by a fault of ours after it was counted', async () => {
    const id = await createWorkflow(user, ECHO, LIMIT);
    const { sql } = app.services.database;
    await sql.query({ text: 'ALTER TABLE runs RENAME TO gone' });
    try {
      const headers = { ...from('10.0.12.1'), 'idempotency-key': 'key' };
      const failed = await app.call('POST', executeUrl(id), {}, headers);
      expect(failed.statusCode).toBe(500);
      expect(failed.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' });
      expect(app.takeDefects()).toHaveLength(1);
    } finally {
      await sql.query({ text: 'ALTER TABLE gone RENAME TO runs' });
    }
  });

  it('§4.1 rule 7: what a call with an Idempotency-Key computed is cached, and a new name drops nothing', async () => {
    const id = await createWorkflow(user, ECHO, { cache_ttl_seconds: 60 });
    const ask = async (headers = {}) =>
      (await app.call('POST', executeUrl(id), { text: 'cached' }, headers)).json().status;
    expect(await ask({ 'idempotency-key': 'first' })).toBe('success');
    expect(await ask()).toBe('cached');
    await user.call('PUT', `/api/workflows/${id}`, { name: 'Another name' });
    expect(await ask()).toBe('cached');
    const { nodes, edges } = (await user.call('GET', `/api/workflows/${id}`)).json();
    const moved = nodes.map((node: { data: object }) => ({ ...node, data: { ...node.data, note: 'x' } }));
    await user.call('PUT', `/api/workflows/${id}`, { nodes: moved, edges });
    expect(await ask()).toBe('success');
  });

  it('§5.2 rule 6: two people with the same Idempotency-Key have a run each', async () => {
    const other = await app.user();
    const id = await createWorkflow(user, ECHO);
    const headers = { 'idempotency-key': 'shared' };
    const runs = [];
    for (const person of [user, other, user]) {
      const answer = await person.call('POST', executeUrl(id), { text: 'mine' }, headers);
      runs.push(answer.headers['x-execution-id']);
    }
    expect(runs[0]).toBe(runs[2]);
    expect(runs[1]).not.toBe(runs[0]);
  });
});

describe('RESTRICT_TEST_RUN', () => {
  it('limits test_run to users with access to the workflow', async () => {
    const strict = await createTestApp({ env: { RESTRICT_TEST_RUN: 'true' } });
    const owner = await strict.user();
    const id = await createWorkflow(owner, ECHO);
    const url = executeUrl(id, '?test_run=true');
    expect((await strict.call('POST', url, {})).statusCode).toBe(403);
    expect((await (await strict.user()).call('POST', url, {})).statusCode).toBe(403);
    expect((await owner.call('POST', url, {})).statusCode).toBe(200);
    expect((await strict.call('POST', executeUrl(id), {})).statusCode).toBe(200);
    await strict.close();
  });
});
