import { describe, expect, it } from 'vitest';
import {
  createPortal,
  graph,
  parseFrames,
  type TestPortal,
  until,
  useOwnTestApp,
} from '../../../testing/index.ts';

const app = await useOwnTestApp();
const owner = await app.user();

/** Answers with what it was asked and how many earlier messages it was given. */
const CHAT = graph(
  [
    ['start', 'textInput', { inputFields: [{ key: 'text' }] }],
    ['out', 'output', { message: '$start.body.text / $len($start.conversation_history)' }],
  ],
  ['start>out'],
);

/** The last earlier message, whose text the run reads. */
const RECALL = graph(
  [
    ['start', 'textInput', { inputFields: [{ key: 'text' }] }],
    ['out', 'output', { message: '$start.conversation_history' }],
  ],
  ['start>out'],
);

const portal = (content = CHAT, settings = {}) => createPortal(owner, content, settings);

type Headers = Record<string, string>;
interface Turn {
  execution_id: string;
  inputs: object;
  status: string;
  outputs: unknown;
}

async function begin(
  { url }: TestPortal,
  headers: Headers = {},
): Promise<{ id: string; visitor_token: string | null }> {
  const answer = await app.call('POST', `${url}/conversations`, undefined, headers);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<{ id: string; visitor_token: string | null }>();
}

/** A visitor of a public portal with a conversation. */
async function visit(at: TestPortal): Promise<{ conversation_id: string; headers: Headers }> {
  const { id, visitor_token } = await begin(at);
  return { conversation_id: id, headers: { 'x-visitor-token': visitor_token ?? '' } };
}

const say = ({ url }: TestPortal, body: object, headers: Headers) =>
  app.call('POST', `${url}/execute`, body, headers);

async function read({ url }: TestPortal, id: string, headers: Headers) {
  const answer = await app.call('GET', `${url}/conversations/${id}`, undefined, headers);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ title: string; turns: Turn[] }>();
}

async function list({ url }: TestPortal, headers: Headers) {
  const answer = await app.call('GET', `${url}/conversations`, undefined, headers);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ total: number; items: { id: string; title: string; turn_count: number }[] }>();
}

describe('§4.4 §6.2 stored conversations of a portal', () => {
  it('§6.2 conversation_history holds the stored turns, unless the client sends its own', async () => {
    const at = await portal();
    const { conversation_id, headers } = await visit(at);
    const answers = [];
    for (const text of ['one', 'two', 'three'])
      answers.push((await say(at, { inputs: { text }, conversation_id }, headers)).json());
    expect(answers.map(({ outputs }) => outputs.out.result)).toEqual(['one / 0', 'two / 2', 'three / 4']);
    const given = { inputs: { text: 'x' }, conversation_history: [{ role: 'user', content: 'own' }] };
    const own = await say(at, { ...given, conversation_id }, headers);
    expect(own.json()).toMatchObject({ outputs: { out: { result: 'x / 1' } } });
    const none = await say(at, { inputs: { text: 'x' }, conversation_history: [], conversation_id }, headers);
    expect(none.json()).toMatchObject({ outputs: { out: { result: 'x / 0' } } });
  });

  it('earlier questions and answers are given as texts', async () => {
    const at = await portal(RECALL);
    const { conversation_id, headers } = await visit(at);
    await say(at, { inputs: { text: 'first' }, conversation_id }, headers);
    const { outputs } = (await say(at, { inputs: { text: 'second' }, conversation_id }, headers)).json();
    expect(JSON.stringify(outputs)).toContain('first');
    expect(outputs.out.result).toMatchObject([{ role: 'user', content: 'first' }]);
  });

  it('shows messages with the answers of their runs, newest conversation first', async () => {
    const at = await portal();
    const { conversation_id, headers } = await visit(at);
    expect(await list(at, headers)).toMatchObject({ total: 0, items: [] });
    const said = await say(at, { inputs: { text: 'Where is\nmy order?' }, conversation_id }, headers);
    expect(await read(at, conversation_id, headers)).toMatchObject({
      title: 'Where is my order?',
      turns: [
        {
          execution_id: said.headers['x-execution-id'],
          inputs: { text: 'Where is\nmy order?' },
          status: 'success',
          outputs: { out: { result: 'Where is\nmy order? / 0' } },
        },
      ],
    });
    app.clock.now += 1000;
    const other = await begin(at, headers);
    expect(other.visitor_token).toBeNull();
    await say(at, { inputs: { text: 'Another' }, conversation_id: other.id }, headers);
    expect(await list(at, headers)).toMatchObject({
      total: 2,
      items: [
        { id: other.id, title: 'Another', turn_count: 1 },
        { id: conversation_id, turn_count: 1 },
      ],
    });
  });

  it('streams keep their message, too, and it is there while its run works', async () => {
    const slow = graph(
      [
        ['start', 'textInput', { inputFields: [{ key: 'text' }] }],
        ['rest', 'wait', { duration: 50_000 }],
      ],
      ['start>rest'],
    );
    const at = await portal(slow);
    const { conversation_id, headers } = await visit(at);
    const streaming = app.call(
      'POST',
      `${at.url}/execute/stream`,
      { inputs: { text: 'wait' }, conversation_id },
      headers,
    );
    const turn = await until(async () => (await read(at, conversation_id, headers)).turns[0]);
    expect(turn).toMatchObject({ status: 'running', outputs: null, inputs: { text: 'wait' } });
    await app.call('POST', `${at.url}/executions/${turn.execution_id}/cancel`, undefined, headers);
    expect(parseFrames((await streaming).body)[0]?.data).toMatchObject({ execution_id: turn.execution_id });
    expect((await read(at, conversation_id, headers)).turns).toMatchObject([{ status: 'cancelled' }]);
  });

  it('a message that replaces another takes it away with all that came after it', async () => {
    const at = await portal();
    const { conversation_id, headers } = await visit(at);
    for (const text of ['one', 'two', 'three']) await say(at, { inputs: { text }, conversation_id }, headers);
    const { turns } = await read(at, conversation_id, headers);
    const replaces = turns[1]?.execution_id;
    const again = await say(at, { inputs: { text: 'TWO' }, conversation_id, replaces }, headers);
    expect(again.json()).toMatchObject({ outputs: { out: { result: 'TWO / 2' } } });
    const after = await read(at, conversation_id, headers);
    expect(after.turns.map(({ inputs }) => inputs)).toEqual([{ text: 'one' }, { text: 'TWO' }]);
    expect(after.title).toBe('one');
    await say(
      at,
      { inputs: { text: 'ONE' }, conversation_id, replaces: after.turns[0]?.execution_id },
      headers,
    );
    expect(await read(at, conversation_id, headers)).toMatchObject({
      title: 'ONE',
      turns: [{ inputs: { text: 'ONE' } }],
    });
  });

  it('without a conversation nothing is kept but the run', async () => {
    const at = await portal();
    const { headers } = await visit(at);
    expect((await say(at, { inputs: { text: 'x' } }, headers)).statusCode).toBe(200);
    expect(await list(at, headers)).toMatchObject({ total: 0 });
  });

  it('a message that is refused by a limit is not kept', async () => {
    const at = await portal(CHAT, { portal_rate_limit_requests: 1, portal_rate_limit_window_seconds: 600 });
    const { conversation_id, headers } = await visit(at);
    const body = { inputs: { text: 'x' }, conversation_id };
    expect((await say(at, body, headers)).statusCode).toBe(200);
    expect((await say(at, body, headers)).statusCode).toBe(429);
    expect((await read(at, conversation_id, headers)).turns).toHaveLength(1);
  });

  it('a process that ends between message and run leaves a conversation that continues without it', async () => {
    const at = await portal();
    const { conversation_id, headers } = await visit(at);
    await say(at, { inputs: { text: 'one' }, conversation_id }, headers);
    // The row that is stored when the process ends before the run is.
    await app.services.database.sql.query({
      text: `INSERT INTO portal_turns (run_id, conversation_id, inputs) VALUES ($1, $2, '{"text":"lost"}')`,
      values: [
        `fffffff0-0000-7000-8000-${Date.now().toString().padStart(12, '0').slice(-12)}`,
        conversation_id,
      ],
    });
    const texts = async () =>
      (await read(at, conversation_id, headers)).turns.map(({ inputs }) => (inputs as { text: string }).text);
    expect(await texts()).toEqual(['one']);
    // The page sends it again; the run reads what was answered and nothing of the lost one.
    const again = await say(at, { inputs: { text: 'lost' }, conversation_id }, headers);
    expect(again.json()).toMatchObject({ outputs: { out: { result: 'lost / 2' } } });
    expect(await texts()).toEqual(['one', 'lost']);
  });

  it('a deleted conversation is gone, and its runs stay in the history of the owner', async () => {
    const at = await portal();
    const { conversation_id, headers } = await visit(at);
    const answer = await say(at, { inputs: { text: 'x' }, conversation_id }, headers);
    const run_id = String(answer.headers['x-execution-id']);
    const url = `${at.url}/conversations/${conversation_id}`;
    expect((await app.call('DELETE', url, undefined, headers)).statusCode).toBe(204);
    expect((await app.call('DELETE', url, undefined, headers)).statusCode).toBe(404);
    expect((await say(at, { inputs: {}, conversation_id }, headers)).statusCode).toBe(404);
    const run = await owner.call('GET', `/api/workflows/${at.id}/history/${run_id}`);
    expect(run.statusCode).toBe(200);
  });
});

describe('§5.5 whose conversations a visitor reaches', () => {
  it('of a public portal those of the visitor token alone; a foreign conversation is not found', async () => {
    const at = await portal();
    const mine = await visit(at);
    const other = await visit(at);
    await say(at, { inputs: { text: 'mine' }, conversation_id: mine.conversation_id }, mine.headers);
    for (const headers of [other.headers, {}]) {
      const url = `${at.url}/conversations/${mine.conversation_id}`;
      expect((await app.call('GET', url, undefined, headers)).statusCode).toBe(404);
      expect((await app.call('DELETE', url, undefined, headers)).statusCode).toBe(404);
      const body = { inputs: { text: 'x' }, conversation_id: mine.conversation_id };
      expect((await say(at, body, headers)).statusCode).toBe(404);
      expect(await list(at, headers)).toMatchObject({ total: 0 });
    }
    // The same visitor in another portal.
    const elsewhere = await portal();
    const url = `${elsewhere.url}/conversations/${mine.conversation_id}`;
    expect((await app.call('GET', url, undefined, mine.headers)).statusCode).toBe(404);
  });

  it('of a portal with users those of the signed-in person, in each of their sessions', async () => {
    const at = await portal();
    const before = await visit(at);
    await say(at, { inputs: { text: 'public' }, conversation_id: before.conversation_id }, before.headers);
    const sessions: Headers[] = [];
    for (const username of ['ada', 'ada', 'bob']) {
      await owner.call('POST', `/api/workflows/${at.id}/portal/users`, { username, password: 'opens it' });
      const login = await app.call('POST', `${at.url}/login`, { username, password: 'opens it' });
      sessions.push({ authorization: `Bearer ${login.json<{ session_token: string }>().session_token}` });
    }
    const [ada = {}, again = {}, bob = {}] = sessions;
    expect((await app.call('POST', `${at.url}/conversations`)).statusCode).toBe(401);
    const { id, visitor_token } = await begin(at, ada);
    expect(visitor_token).toBeNull();
    await say(at, { inputs: { text: 'hello' }, conversation_id: id }, ada);
    expect(await list(at, again)).toMatchObject({ total: 1, items: [{ id, title: 'hello' }] });
    expect(await list(at, { ...bob, ...before.headers })).toMatchObject({ total: 0 });
    expect((await app.call('GET', `${at.url}/conversations/${id}`, undefined, bob)).statusCode).toBe(404);
  });

  it('refuses a visitor token that was not given out here', async () => {
    const at = await portal();
    const answer = await app.call('GET', `${at.url}/conversations`, undefined, { 'x-visitor-token': 'me' });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      422,
      { detail: [{ loc: ['header', 'X-Visitor-Token'] }] },
    ]);
  });

  it('stores only the hash of a visitor token, and masks credentials in what is kept', async () => {
    const secret = `tok-${crypto.randomUUID()}`;
    await owner.call('POST', '/api/credentials', {
      name: 'key',
      type: 'bearer',
      config: { bearer_token: secret },
    });
    const at = await portal();
    const { conversation_id, headers } = await visit(at);
    await say(at, { inputs: { text: `it is ${secret}` }, conversation_id }, headers);
    const { rows } = await app.services.database.sql.query<{ row: string }>({
      text: `SELECT c::text || t::text AS row FROM portal_conversations c
        JOIN portal_turns t ON t.conversation_id = c.id WHERE c.id = $1`,
      values: [conversation_id],
    });
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(headers['x-visitor-token']);
    expect(rows[0]?.row).not.toContain(secret);
  });
});

describe('conversations as the owner of the portal sees them', () => {
  it('with their visitor and runs; collaborators read them, strangers do not find them', async () => {
    const at = await portal();
    const { conversation_id, headers } = await visit(at);
    await say(at, { inputs: { text: 'hello' }, conversation_id }, headers);
    const url = `/api/workflows/${at.id}/portal/conversations`;
    const [friend, stranger] = [await app.user(), await app.user()];
    await owner.call('POST', `/api/workflows/${at.id}/shares`, { email: friend.email });
    for (const person of [owner, friend]) {
      expect((await person.call('GET', url)).json()).toMatchObject({
        total: 1,
        items: [{ id: conversation_id, title: 'hello', username: null, turn_count: 1 }],
      });
      const one = (await person.call('GET', `${url}/${conversation_id}`)).json<{ turns: Turn[] }>();
      const run = await person.call('GET', `/api/workflows/${at.id}/history/${one.turns[0]?.execution_id}`);
      expect(run.statusCode).toBe(200);
    }
    expect((await stranger.call('GET', url)).statusCode).toBe(404);
    expect((await friend.call('DELETE', `${url}/${conversation_id}`)).statusCode).toBe(403);
    expect((await owner.call('DELETE', `${url}/${conversation_id}`)).statusCode).toBe(204);
    expect((await owner.call('GET', `${url}/${conversation_id}`)).statusCode).toBe(404);
    expect((await owner.call('GET', url)).json()).toMatchObject({ total: 0 });
  });

  it('of another workflow are not found', async () => {
    const [at, other] = [await portal(), await portal()];
    const { conversation_id } = await visit(at);
    const url = `/api/workflows/${other.id}/portal/conversations/${conversation_id}`;
    expect((await owner.call('GET', url)).statusCode).toBe(404);
    expect((await owner.call('DELETE', url)).statusCode).toBe(404);
  });

  it('go with the workflow', async () => {
    const at = await portal();
    const { conversation_id, headers } = await visit(at);
    await say(at, { inputs: { text: 'x' }, conversation_id }, headers);
    await owner.call('DELETE', `/api/workflows/${at.id}`);
    const { rows } = await app.services.database.sql.query({
      text: 'SELECT 1 FROM portal_conversations WHERE id = $1 UNION ALL SELECT 1 FROM portal_turns WHERE conversation_id = $1',
      values: [conversation_id],
    });
    expect(rows).toEqual([]);
  });
});
