import type { PortalUsage } from '@millrace/contracts';
import { describe, expect, it } from 'vitest';
import { createPortal, graph, type TestPortal, useOwnTestApp } from '../../../testing/index.ts';

const app = await useOwnTestApp();
const owner = await app.user();

/** Fails when it is asked to. */
const CHAT = graph(
  [
    ['start', 'textInput', { inputFields: [{ key: 'text' }] }],
    ['check', 'condition', { condition: '$input.body.text == "fail"' }],
    ['stop', 'throwError', { errorMessage: 'no' }],
    ['out', 'output', { message: 'ok' }],
  ],
  ['start>check', 'check:true>stop', 'check:false>out'],
);

const portal = (settings = {}) => createPortal(owner, CHAT, settings);
type Headers = Record<string, string>;

async function visitor({ url }: TestPortal, headers: Headers = {}) {
  const begun = await app.call('POST', `${url}/conversations`, undefined, headers);
  const { id, visitor_token } = begun.json<{ id: string; visitor_token: string | null }>();
  const known = visitor_token === null ? headers : { 'x-visitor-token': visitor_token };
  return {
    headers: known,
    say: (text: string) => {
      // Visitors and conversations are listed by the time of their last message.
      app.clock.now += 1;
      return app.call('POST', `${url}/execute`, { inputs: { text }, conversation_id: id }, known);
    },
  };
}

const visitors = async ({ owner_url }: TestPortal, query = '') => {
  const answer = await owner.call('GET', `${owner_url}/visitors${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ total: number; items: { visitor_id: string; username: string | null }[] }>();
};

describe('visitors of a portal', () => {
  it('are holders of visitor tokens, the last active first, with what they wrote', async () => {
    const at = await portal();
    const first = await visitor(at);
    await first.say('one');
    await (await visitor(at, first.headers)).say('two');
    const second = await visitor(at);
    await second.say('three');
    await visitor(at);
    const list = await visitors(at);
    expect(list).toMatchObject({
      total: 2,
      items: [
        { username: null, conversation_count: 1, message_count: 1 },
        { username: null, conversation_count: 2, message_count: 2 },
      ],
    });
    const [{ visitor_id } = { visitor_id: '' }] = list.items.slice(1);
    const theirs = await owner.call('GET', `${at.owner_url}/conversations?visitor_id=${visitor_id}`);
    expect(theirs.json()).toMatchObject({
      total: 2,
      items: [
        { title: 'two', visitor_id },
        { title: 'one', visitor_id },
      ],
    });
    expect(await visitors(at, '?limit=1&offset=1')).toMatchObject({ total: 2, items: [{ visitor_id }] });
    expect(await visitors(at, '?offset=9')).toMatchObject({ total: 2, items: [] });
  });

  it('are people with a login by their name', async () => {
    const at = await portal();
    const user = { username: 'grace', password: 'opens the door' };
    await owner.call('POST', `${at.owner_url}/users`, user);
    const login = await app.call('POST', `${at.url}/login`, user);
    const { session_token } = login.json<{ session_token: string }>();
    await (await visitor(at, { authorization: `Bearer ${session_token}` })).say('hello');
    expect((await visitors(at)).items).toMatchObject([{ username: 'grace', message_count: 1 }]);
  });

  it('are seen by people with access to the workflow alone', async () => {
    const at = await portal();
    const [friend, stranger] = [await app.user(), await app.user()];
    await owner.call('POST', `/api/workflows/${at.id}/shares`, { email: friend.email });
    for (const path of ['visitors', 'usage']) {
      expect((await friend.call('GET', `${at.owner_url}/${path}`)).statusCode).toBe(200);
      expect((await stranger.call('GET', `${at.owner_url}/${path}`)).statusCode).toBe(404);
      expect((await app.call('GET', `${at.owner_url}/${path}`)).statusCode).toBe(401);
    }
    expect((await owner.call('GET', `${at.owner_url}/visitors?limit=101`)).statusCode).toBe(422);
    expect((await owner.call('GET', `${at.owner_url}/usage?days=0`)).statusCode).toBe(422);
  });
});

describe('usage of a portal', () => {
  const usage = async ({ owner_url }: TestPortal, days = 2) =>
    (await owner.call('GET', `${owner_url}/usage?days=${days}`)).json<PortalUsage>();

  it('counts messages, runs, failures and refused calls of each day, and no other runs', async () => {
    const at = await portal({ portal_rate_limit_requests: 3, portal_rate_limit_window_seconds: 600 });
    const one = await visitor(at);
    for (const text of ['a', 'fail', 'b', 'refused']) await one.say(text);
    await owner.call('POST', `/api/workflows/${at.id}/execute`, { text: 'not of the portal' });
    const { days, total } = await usage(at);
    expect(total).toMatchObject({
      visitors: 1,
      messages: 3,
      runs: 3,
      failures: 1,
      refused: 1,
      cost_usd: null,
    });
    expect(days).toHaveLength(2);
    const today = new Date(app.services.now()).toISOString().slice(0, 10);
    expect(days.at(-1)).toMatchObject({ date: today, runs: 3 });
    expect(days[0]).toMatchObject({ runs: 0, messages: 0 });
  });

  it('adds tokens and cost of the traces of its runs', async () => {
    const at = await portal();
    const run_id = String((await (await visitor(at)).say('a')).headers['x-execution-id']);
    const trace = (id: string, run: string) =>
      app.services.database.sql.query({
        text: `INSERT INTO traces (id, user_id, source, request_type, model, workflow_id, run_id, request, is_cut,
            prompt_tokens, completion_tokens, total_tokens, cost_usd, elapsed_ms, created_at)
          SELECT $1, owner_id, 'workflow', 'chat', 'm', id, $2, '{}', false, 10, 5, 15, 0.25, 1, now()
          FROM workflows WHERE id = $3`,
        values: [id, run, at.id],
      });
    await trace(crypto.randomUUID(), run_id);
    await trace(crypto.randomUUID(), run_id);
    await trace(crypto.randomUUID(), crypto.randomUUID());
    expect((await usage(at)).total).toMatchObject({
      runs: 1,
      prompt_tokens: 20,
      completion_tokens: 10,
      cost_usd: 0.5,
    });
  });
});
