import { createWorkflow, ECHO, executeUrl, graph, until, useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const user = await app.user();

const statuses = async (id: string): Promise<string[]> => {
  const list = await user.call('GET', `/api/workflows/${id}/history`);
  return list.json<{ items: { status: string }[] }>().items.map(({ status }) => status);
};

const failing = graph(
  [
    ['start', 'textInput'],
    ['stop', 'throwError', { errorMessage: 'no' }],
  ],
  ['start>stop'],
);

describe('§3.1 execution statuses', () => {
  it('§3.1 success: the run finishes successfully', async () => {
    const id = await createWorkflow(user, ECHO);
    expect((await app.call('POST', executeUrl(id), {})).json()).toMatchObject({ status: 'success' });
    expect(await statuses(id)).toEqual(['success']);
  });

  it('§3.1 error: the run fails', async () => {
    const id = await createWorkflow(user, failing);
    expect((await app.call('POST', executeUrl(id), {})).json()).toMatchObject({ status: 'error' });
    expect(await statuses(id)).toEqual(['error']);
  });

  it('§3.1 §2.3 cached: the cache has a matching entry, whose outputs are returned', async () => {
    const id = await createWorkflow(user, ECHO, { cache_ttl_seconds: 60 });
    const answers: unknown[] = [];
    for (let time = 0; time < 2; time++)
      answers.push((await app.call('POST', executeUrl(id), { text: 'a' })).json());
    const answer = { workflow_id: id, outputs: { out: { result: 'a' } } };
    expect(answers[0]).toMatchObject({ ...answer, status: 'success' });
    expect(answers[1]).toEqual({ ...answer, status: 'cached', execution_time_ms: 0 });
    await until(async () => (await statuses(id)).length === 2);
    expect(await statuses(id)).toEqual(['cached', 'success']);
  });

  it('§3.1 success: the response is cached only when cache_ttl_seconds > 0', async () => {
    const id = await createWorkflow(user, ECHO, { cache_ttl_seconds: 0 });
    for (let time = 0; time < 2; time++)
      expect((await app.call('POST', executeUrl(id), {})).json()).toMatchObject({ status: 'success' });
  });

  it('§3.1 rate_limited: the rate limit is exceeded, HTTP 429', async () => {
    const id = await createWorkflow(user, ECHO, { rate_limit_requests: 1, rate_limit_window_seconds: 60 });
    const headers = { 'x-test-ip': '10.31.0.1' };
    await app.call('POST', executeUrl(id), {}, headers);
    expect((await app.call('POST', executeUrl(id), {}, headers)).statusCode).toBe(429);
    await until(async () => (await statuses(id)).length === 2);
    expect(await statuses(id)).toEqual(['rate_limited', 'success']);
  });
});
