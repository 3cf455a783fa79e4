import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shareTestApp, type TestApp, type TestUser } from '../../../testing/index.ts';
import { ModelLists } from './model-lists.ts';

describe('a list of models', () => {
  const credential = { id: 'c', updated_at: new Date(0) };
  let now = 0;
  let asked: number;
  let lists: ModelLists;
  beforeEach(() => {
    now = 0;
    asked = 0;
    lists = new ModelLists(() => now);
  });
  const list = (more: object = {}) =>
    lists.of({ credential, is_fresh: false, ...more }, () => {
      asked += 1;
      return Promise.resolve([]);
    });

  test('is asked for once in ten minutes', async () => {
    await list();
    now = 10 * 60_000 - 1;
    await list();
    expect(asked).toBe(1);
    now += 1;
    await list();
    expect(asked).toBe(2);
  });

  test('is asked for once by two that ask at the same time', async () => {
    await Promise.all([list(), list()]);
    expect(asked).toBe(1);
  });

  test('is asked for again when the credential has changed', async () => {
    await list();
    await list({ credential: { ...credential, updated_at: new Date(1) } });
    await list({ credential: { ...credential, id: 'd' } });
    expect(asked).toBe(3);
  });

  test('that failed is asked for again', async () => {
    const refused = lists.of({ credential, is_fresh: false }, () => Promise.reject(new Error('no')));
    await expect(refused).rejects.toThrow('no');
    await list();
    expect(asked).toBe(1);
  });
});

describe('a refresh that fails', () => {
  test('leaves the list as it was', async () => {
    const kept = new ModelLists(() => 0);
    const credential = { id: 'c', updated_at: new Date(0) };
    const answer = [{ id: 'm1', name: 'm1', is_reasoning: false, answers_with: ['text' as const] }];
    await kept.of({ credential, is_fresh: false }, () => Promise.resolve(answer));
    const refreshed = kept.of({ credential, is_fresh: true }, () => Promise.reject(new Error('away')));
    await expect(refreshed).rejects.toThrow('away');
    const again = kept.of({ credential, is_fresh: false }, () => Promise.reject(new Error('asked again')));
    expect(await again).toBe(answer);
  });
});

describe('the endpoints of models and choices', () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ data: [{ id: `m${asked}` }] }));
  });
  let app: TestApp;
  let owner: TestUser;
  let friend: TestUser;
  let path: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    app = await shareTestApp({
      HTTP_ALLOW_PRIVATE_URLS: 'true',
      MODEL_PRICES: '{"m1": {"input": 1, "output": 2}}',
    });
    [owner, friend] = [await app.user(), await app.user()];
  });
  beforeEach(async () => {
    asked = 0;
    const config = { api_key: 'k', base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const body = { name: `m${Math.random().toString(36).slice(2)}`, type: 'custom', config };
    const made = await owner.call('POST', '/api/credentials', body);
    path = `/api/credentials/${made.json<{ id: string }>().id}`;
  });
  afterAll(async () => {
    await app.close();
    server.closeAllConnections();
    server.close();
  });

  const models = async (query = '') =>
    (await owner.call('GET', `${path}/models${query}`)).json<{ id: string }[]>().map(({ id }) => id);
  const choices = async (more: object = {}) => {
    const answer = await owner.call('POST', `${path}/choices`, { node_type: 'llm', list: 'models', ...more });
    return answer.json<{ items: { value: string }[] }>().items.map(({ value }) => value);
  };

  test('share the list of a credential, and ask again for a fresh one', async () => {
    expect(await models()).toEqual(['m1']);
    expect(await choices()).toEqual(['m1']);
    expect(await choices({ search: 'm' })).toEqual(['m1']);
    expect(await choices({ refresh: true })).toEqual(['m2']);
    expect(await models()).toEqual(['m2']);
    expect(await models('?refresh=true')).toEqual(['m3']);
    expect(asked).toBe(3);
  });

  test('say what is known of a model', async () => {
    const answer = await owner.call('GET', `${path}/models`);
    expect(answer.json()).toMatchObject([{ id: 'm1', price: { input: 1, output: 2 }, capabilities: null }]);
  });

  test('refuse the list to people who may not use the credential', async () => {
    await models();
    expect((await friend.call('GET', `${path}/models`)).statusCode).toBe(404);
    const body = { node_type: 'llm', list: 'models' };
    expect((await friend.call('POST', `${path}/choices`, body)).statusCode).toBe(404);
  });
});
