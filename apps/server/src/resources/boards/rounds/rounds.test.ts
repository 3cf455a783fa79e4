import type { BoardCardDetail, BoardState, CardRun, HistoryEntry } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { chatStream, refuse, startFakeProvider } from '@millrace/models/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../../adapters/postgres/open.ts';
import { workOnDue } from '../../../execution/claimed-work/claimed-work.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
  silent,
} from '../../../execution/journal/testing/databases.ts';
import type { Services } from '../../../services.ts';
import { createTestApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import { createWorkflow, graph, until } from '../../executions/testing/workflows.ts';
import {
  type BoardWorld,
  cardUrl,
  createBoardWorld,
  fetchEntry as fetchEntryOfRun,
  fetchHistory as fetchHistoryOfWorkflow,
  moveCard,
  readCard,
  telling,
  told,
  WAITING,
} from '../testing/boards.ts';
import { BOARD_ROUNDS } from './work.ts';

/** Two processes on one database. */
let apps: [TestApp, TestApp];
let postgres: PostgresForTest;
let owner: TestUser;
let friend: TestUser;

async function openBoth(): Promise<void> {
  postgres = await openPostgresForTest();
  const env = { HTTP_ALLOW_PRIVATE_URLS: 'true' };
  const open = () => createTestApp({ env, database: openPostgres({ url: postgres.url, log: silent }) });
  apps = [await open(), await open()];
  [owner, friend] = [await apps[0].user('Owner'), await apps[0].user('Friend')];
}
async function closeBoth(): Promise<void> {
  for (const app of apps) await app.close();
  await postgres.database.close();
}

const FAILING = graph(
  [
    ['start', 'textInput'],
    ['stop', 'throwError', { errorMessage: 'no paper left' }],
  ],
  ['start>stop'],
);
const REVIEWED = graph(
  [
    ['start', 'textInput'],
    ['ask', 'humanReview', { summary: 'Is it good?' }],
    ['out', 'output', { message: 'reviewed' }],
  ],
  ['start>ask', 'ask>out'],
);

const pass = (services: Services) =>
  workOnDue(services, BOARD_ROUNDS, { stopping: new AbortController().signal });

const world = (...chains: string[][]) => createBoardWorld(owner, ...chains);
const move = (at: BoardWorld, column: number, user = owner) => moveCard(at, column, user);
const read = (at: BoardWorld) => readCard(at, owner);
const fetchHistory = (workflow: string) => fetchHistoryOfWorkflow(workflow, owner);
const fetchEntry = (run: CardRun | undefined) => fetchEntryOfRun(run, owner);
/** Both processes work until the card has the status. */
const reaches = (at: BoardWorld, status: string): Promise<BoardCardDetail> =>
  until(async () => {
    await Promise.all(apps.map(({ services }) => pass(services)));
    const card = await read(at);
    return card.run_status === status && card;
  });
const getBody = (entry: HistoryEntry) => (entry.inputs as { body: JsonObject }).body;

describeOnPostgres('the chain of a column', () => {
  beforeAll(openBoth);
  afterAll(closeBoth);

  test('§1, §5.7, §6.3: a move starts it once, as the owner, with the source `board`, and hands each the output before', async () => {
    const [a, b] = [
      await createWorkflow(owner, telling('$input.body.title')),
      await createWorkflow(owner, telling('$input.body.previous_output.out.result')),
    ];
    const at = await world([a, b]);
    await owner.call('POST', `/api/boards/${at.board}/shares`, { email: friend.email, permission: 'write' });
    await owner.call('POST', `${cardUrl(at)}/comments`, { content: 'soon' });
    const moved = await move(at, 1, friend);
    expect(moved.json()).toMatchObject({ run_status: 'queued', column_id: at.columns[1] });
    const card = await reaches(at, 'done');
    expect(card.runs).toMatchObject([
      { workflow_id: a, chain_position: 1, chain_length: 2, status: 'success', output: told('Poster') },
      { workflow_id: b, chain_position: 2, chain_length: 2, status: 'success', output: told('Poster') },
    ]);
    expect([await fetchHistory(a), await fetchHistory(b)]).toMatchObject([
      [{ trigger_source: 'board', status: 'success' }],
      [{ trigger_source: 'board', status: 'success' }],
    ]);
    const body = getBody(await fetchEntry(card.runs[0]));
    expect(body).toMatchObject({
      text: 'Poster\n\nA3, two colours',
      content: 'A3, two colours',
      comment: null,
      previous_output: null,
      card: { id: at.card, column_name: 'In progress', comments: [{ author: 'Owner', content: 'soon' }] },
    });
    const { rows } = await apps[0].services.database.sql.query<{ actor_id: string }>({
      text: 'SELECT DISTINCT actor_id FROM runs WHERE workflow_id = ANY ($1::uuid[])',
      values: [[a, b]],
    });
    expect(rows).toEqual([{ actor_id: owner.id }]);
    expect(card.activities.map(({ kind }) => kind).toSorted()).toEqual(
      ['created', 'comment', 'moved', 'run_started', 'run_done'].toSorted(),
    );
  });

  test('a column without a chain starts nothing, and neither does a move within a column', async () => {
    const a = await createWorkflow(owner, telling('x'));
    const at = await world([a]);
    await move(at, 2);
    expect(await read(at)).toMatchObject({ run_status: 'idle', runs: [] });
    await move(at, 1);
    await reaches(at, 'done');
    await owner.call('POST', `${cardUrl(at)}/move`, { to_column_id: at.columns[1], position: -5 });
    expect(await read(at)).toMatchObject({ position: -5, run_status: 'done' });
    expect(await fetchHistory(a)).toHaveLength(1);
    await move(at, 3);
    expect(await read(at)).toMatchObject({ run_status: 'idle' });
  });

  test('a failure ends the chain and says why; run again starts it anew', async () => {
    const [a, b] = [await createWorkflow(owner, FAILING), await createWorkflow(owner, telling('x'))];
    const at = await world([a, b]);
    await move(at, 1);
    const card = await reaches(at, 'failed');
    expect(card.runs).toMatchObject([
      { status: 'error', error: 'no paper left' },
      { status: 'cancelled', execution_history_id: null },
    ]);
    const again = await owner.call('POST', `${cardUrl(at)}/run`);
    expect(again.json()).toMatchObject({ run_status: 'queued' });
    expect((await owner.call('POST', `${cardUrl(at)}/run`)).statusCode).toBe(409);
    await reaches(at, 'failed');
    expect(await fetchHistory(a)).toHaveLength(2);
    expect(await fetchHistory(b)).toEqual([]);
  });

  test('409: a run again without workflows, a stop where nothing runs; 404 for a column of another board', async () => {
    const at = await world();
    const other = await world();
    expect((await owner.call('POST', `${cardUrl(at)}/run`, {})).statusCode).toBe(409);
    expect((await owner.call('POST', `${cardUrl(at)}/stop`)).statusCode).toBe(409);
    const foreign = { to_column_id: other.columns[1] };
    expect((await owner.call('POST', `${cardUrl(at)}/move`, foreign)).statusCode).toBe(404);
    expect((await owner.call('POST', `${cardUrl(at)}/move`, {})).statusCode).toBe(422);
    expect((await owner.call('POST', `/api/boards/${other.board}/cards/${at.card}/run`)).statusCode).toBe(
      404,
    );
  });

  test('a follow-up hands its comment over, and the comment stays on the card', async () => {
    const a = await createWorkflow(owner, telling('$input.body.comment'));
    const at = await world([a]);
    await move(at, 1);
    await reaches(at, 'done');
    const answer = await owner.call('POST', `${cardUrl(at)}/run`, { comment: 'larger letters' });
    expect(answer.statusCode, answer.body).toBe(200);
    const card = await reaches(at, 'done');
    expect(card.runs[0]).toMatchObject({ output: told('larger letters') });
    expect(getBody(await fetchEntry(card.runs[0]))).toMatchObject({
      text: 'larger letters\n\nPoster\n\nA3, two colours',
    });
    expect(card.activities).toContainEqual(
      expect.objectContaining({ kind: 'comment', content: 'larger letters' }),
    );
  });

  test('a stop ends the run that is under way and what was to follow', async () => {
    const [a, b] = [await createWorkflow(owner, WAITING), await createWorkflow(owner, telling('x'))];
    const at = await world([a, b]);
    await move(at, 1);
    await reaches(at, 'running');
    expect((await owner.call('POST', `${cardUrl(at)}/stop`)).statusCode).toBe(200);
    const card = await reaches(at, 'stopped');
    expect(card.runs).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }]);
    expect(await fetchHistory(a)).toMatchObject([{ status: 'cancelled' }]);
    expect(await fetchHistory(b)).toEqual([]);
  });

  test('waiting for a review shows on the card, and the decision continues the chain', async () => {
    const [a, b] = [await createWorkflow(owner, REVIEWED), await createWorkflow(owner, telling('after'))];
    const at = await world([a, b]);
    await move(at, 1);
    const card = await reaches(at, 'waiting_review');
    expect(card.runs[0]).toMatchObject({ status: 'waiting_review' });
    const { rows } = await apps[0].services.database.sql.query<{
      run_id: string;
      node_id: string;
      key: string;
    }>({
      text: `SELECT run_id, node_id, key FROM waits WHERE run_id = $1 AND kind = 'review'`,
      values: [card.runs[0]?.execution_history_id],
    });
    const [wait] = rows;
    expect(wait).toBeDefined();
    await apps[0].services.execution.ownership.resume(wait?.run_id ?? '', {
      node_id: wait?.node_id ?? '',
      iteration: '',
      key: wait?.key ?? '',
      decision: 'accepted',
      data: {},
    });
    const done = await reaches(at, 'done');
    expect(done.runs).toMatchObject([{ status: 'success' }, { status: 'success', output: told('after') }]);
  });

  test('a card that succeeded moves on where the column says so, unless the run is asked not to', async () => {
    const [a, b] = [await createWorkflow(owner, telling('a')), await createWorkflow(owner, telling('b'))];
    const at = await world([a], [b]);
    const column = `/api/boards/${at.board}/columns/${at.columns[1]}`;
    await owner.call('PATCH', column, { auto_advance: true });
    await move(at, 1);
    const card = await until(async () => {
      const now = await reaches(at, 'done');
      return now.column_id === at.columns[2] && now;
    });
    expect(card.runs.map(({ workflow_id }) => workflow_id)).toEqual([b, a]);
    await owner.call('PATCH', column, { auto_advance: false });
    await move(at, 1);
    await reaches(at, 'done');
    await owner.call('PATCH', column, { auto_advance: true });
    await owner.call('POST', `${cardUrl(at)}/run?skip_auto_advance=true`);
    expect(await reaches(at, 'done')).toMatchObject({ column_id: at.columns[1] });
  });

  test('§5.8: a workflow that the owner cannot see any more, or that is switched off, does not run', async () => {
    const theirs = await createWorkflow(friend, telling('x'));
    await friend.call('POST', `/api/workflows/${theirs}/shares`, { email: owner.email });
    const off = await createWorkflow(owner, telling('x'));
    const at = await world([theirs], [off]);
    await friend.call('DELETE', `/api/workflows/${theirs}/shares/${owner.id}`);
    await owner.call('PUT', `/api/workflows/${off}`, { active: false });
    await move(at, 1);
    expect((await reaches(at, 'failed')).runs).toMatchObject([{ error: 'Workflow not found' }]);
    await move(at, 2);
    expect(
      (
        await until(async () => {
          const card = await reaches(at, 'failed');
          return card.runs.length === 2 && card;
        })
      ).runs[0],
    ).toMatchObject({ error: 'The workflow is switched off', execution_history_id: null });
  });

  test('two moves at once on two processes: one chain for each, one after the other', async () => {
    const [a, b] = [await createWorkflow(owner, telling('a')), await createWorkflow(owner, telling('b'))];
    const at = await world([a], [b]);
    const headers = { authorization: `Bearer ${owner.access_token}` };
    const answers = await Promise.all(
      apps.map((app, index) =>
        app.call('POST', `${cardUrl(at)}/move`, { to_column_id: at.columns[index + 1] }, headers),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    await reaches(at, 'done');
    expect([await fetchHistory(a), await fetchHistory(b)].map(({ length }) => length)).toEqual([1, 1]);
    const card = await read(at);
    const [newest, older] = card.runs;
    expect(String(older?.finished_at) <= String(newest?.started_at)).toBe(true);
    expect(card.column_id).toBe(newest?.workflow_id === a ? at.columns[1] : at.columns[2]);
  });

  test('many cards moved at once by two processes keep distinct places and start one chain each', async () => {
    const a = await createWorkflow(owner, telling('a'));
    const at = await world([a]);
    const cards = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const made = await owner.call('POST', `/api/boards/${at.board}/cards`, { title: `card ${n}` });
        return made.json<{ id: string }>().id;
      }),
    );
    const headers = { authorization: `Bearer ${owner.access_token}` };
    const answers = await Promise.all(
      cards.map((id, n) =>
        apps[n % 2 === 0 ? 0 : 1].call(
          'POST',
          `/api/boards/${at.board}/cards/${id}/move`,
          { to_column_id: at.columns[1], position: 0 },
          headers,
        ),
      ),
    );
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    await until(async () => {
      await Promise.all(apps.map(({ services }) => pass(services)));
      const state = (await owner.call('GET', `/api/boards/${at.board}`)).json<BoardState>();
      return !state.has_active_runs;
    });
    const state = (await owner.call('GET', `/api/boards/${at.board}`)).json<BoardState>();
    const moved = state.cards.filter(({ column_id }) => column_id === at.columns[1]);
    expect(moved).toHaveLength(12);
    expect(new Set(moved.map(({ position }) => position)).size).toBe(12);
    expect(await fetchHistory(a)).toHaveLength(12);
  });

  /** A process that is lost at a statement; what it had not committed by then is undone. */
  function lostAt(services: Services, isHere: (text: string) => boolean): Services {
    const { db } = services.database;
    const transaction: typeof db.transaction = (work, options) =>
      db.transaction(async (tx) => {
        const execute = tx.execute.bind(tx);
        tx.execute = (statement: Parameters<typeof execute>[0]) => {
          const text = JSON.stringify(statement);
          if (isHere(text)) throw new Error('the process was lost');
          return execute(statement);
        };
        return work(tx);
      }, options);
    const lost = new Proxy(db, {
      get: (target, key) =>
        key === 'transaction'
          ? transaction
          : // The rest of the builder, bound to itself.
            (() => {
              const value: unknown = Reflect.get(target, key);
              return typeof value === 'function' ? value.bind(target) : value;
            })(),
    });
    return { ...services, database: { ...services.database, db: lost } };
  }

  test('a process that is lost while it starts a run leaves nothing, and another one starts it once', async () => {
    const [a, b] = [await createWorkflow(owner, telling('a')), await createWorkflow(owner, telling('b'))];
    const at = await world([a, b]);
    await move(at, 1);
    await pass(lostAt(apps[0].services, (text) => text.includes('INTO runs')));
    expect(await fetchHistory(a)).toEqual([]);
    expect(await read(at)).toMatchObject({ run_status: 'queued' });
    await apps[1].services.database.sql.query({
      text: "UPDATE board_rounds SET next_look_at = now() - interval '1 second'",
    });
    await pass(apps[1].services);
    await reaches(at, 'done');
    expect([await fetchHistory(a), await fetchHistory(b)].map(({ length }) => length)).toEqual([1, 1]);
  });

  test('a process that was slow starts no second run after another one took over', async () => {
    const a = await createWorkflow(owner, telling('a'));
    const at = await world([a]);
    await move(at, 1);
    const { services } = apps[0];
    const { ownership } = services.execution;
    const slow: Services = {
      ...services,
      execution: {
        ...services.execution,
        ownership: { ...ownership, enqueueAtEnd: (run) => ownership.enqueueAtEnd(run) },
        admit: {
          ...services.execution.admit,
          // While it admits, its lease runs out and the other process does all of it.
          internal: async (request) => {
            await apps[1].services.database.sql.query({
              text: "UPDATE board_rounds SET next_look_at = now() - interval '1 second'",
            });
            await pass(apps[1].services);
            return services.execution.admit.internal(request);
          },
        },
      },
    };
    await pass(slow);
    await reaches(at, 'done');
    expect(await fetchHistory(a)).toHaveLength(1);
  });

  test('a card that takes its time keeps no other board waiting', async () => {
    const [a, b] = [await createWorkflow(owner, telling('a')), await createWorkflow(owner, telling('b'))];
    const [slow, quick] = [await world([a]), await world([b])];
    await move(slow, 1);
    await move(quick, 1);
    const { services } = apps[0];
    const { admit } = services.execution;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const internal: typeof admit.internal = async (request) => {
      if (request.workflow.settings.id === a) await released;
      return admit.internal(request);
    };
    const execution = { ...services.execution, admit: { ...admit, internal } };
    const passing = pass({ ...services, execution });
    await until(async () => (await fetchHistory(b))[0]?.status === 'success');
    expect(await fetchHistory(a)).toEqual([]);
    release();
    await passing;
    await reaches(slow, 'done');
    await reaches(quick, 'done');
  });

  test('an error with a character that no column holds is stored without it', async () => {
    const content = graph(
      [
        ['start', 'textInput'],
        ['stop', 'throwError', { errorMessage: '$toJson($input.body.content)' }],
      ],
      ['start>stop'],
    );
    const at = await world([await createWorkflow(owner, content)]);
    await owner.call('PATCH', cardUrl(at), { content: JSON.stringify('no\u0000 paper') });
    await move(at, 1);
    expect((await reaches(at, 'failed')).runs[0]?.error).toBe('no paper');
  });

  test('a column that is cleared and deleted at once leaves nothing running', async () => {
    const a = await createWorkflow(owner, WAITING);
    const at = await world([a]);
    await move(at, 1);
    await reaches(at, 'running');
    const url = `/api/boards/${at.board}/columns/${at.columns[1]}`;
    expect((await owner.call('DELETE', `${url}/cards`)).statusCode).toBe(204);
    expect((await owner.call('DELETE', url)).statusCode).toBe(204);
    await until(async () => {
      await pass(apps[1].services);
      return (await fetchHistory(a))[0]?.status === 'cancelled';
    });
    expect((await owner.call('POST', `${cardUrl(at)}/restore`)).json()).toMatchObject({
      column_id: at.columns[0],
    });
  });

  test('a model fills in the input fields; without an answer from it nothing runs', async () => {
    let answers = true;
    const provider = await startFakeProvider(() =>
      answers ? { chunks: chatStream(['{"size": "A3", "copies": 2}']) } : refuse(400, { error: {} }),
    );
    const credential = await owner.call('POST', '/api/credentials', {
      name: `mapper ${Math.random()}`,
      type: 'custom',
      config: { api_key: 'k-0123456789', base_url: provider.url },
    });
    const fields = { inputFields: [{ key: 'size' }, { key: 'copies' }] };
    const content = graph(
      [
        ['start', 'textInput', fields],
        ['out', 'output', { message: '$input.body.size' }],
      ],
      ['start>out'],
    );
    const a = await createWorkflow(owner, content);
    const at = await world([a]);
    const mapper = { mapper_model: 'm1', mapper_credential_id: credential.json<{ id: string }>().id };
    const patched = await owner.call('PATCH', `/api/boards/${at.board}`, mapper);
    expect(patched.statusCode, patched.body).toBe(200);
    await move(at, 1);
    const card = await reaches(at, 'done');
    expect(card.runs[0]).toMatchObject({ output: told('A3') });
    expect(getBody(await fetchEntry(card.runs[0]))).toMatchObject({ size: 'A3', copies: 2, title: 'Poster' });
    answers = false;
    await owner.call('POST', `${cardUrl(at)}/run`);
    const failed = await reaches(at, 'failed');
    expect(failed.runs[0]?.error).toMatch(/^The model that maps the card to the inputs failed: /);
    expect(failed.runs[0]?.error).not.toContain('k-0123456789');
    expect(await fetchHistory(a)).toHaveLength(1);
    await owner.call('DELETE', `/api/credentials/${mapper.mapper_credential_id}`);
    await owner.call('POST', `${cardUrl(at)}/run`);
    expect((await reaches(at, 'failed')).runs[0]?.error).toContain('its credential is gone');
    expect(await fetchHistory(a)).toHaveLength(1);
    provider.stop();
  });

  test('a deleted card, and a deleted board, stop what runs on them', async () => {
    const a = await createWorkflow(owner, WAITING);
    const at = await world([a]);
    await move(at, 1);
    await reaches(at, 'running');
    await owner.call('DELETE', cardUrl(at));
    await until(async () => {
      await pass(apps[1].services);
      return (await fetchHistory(a))[0]?.status === 'cancelled';
    });
    const next = await world([a]);
    await move(next, 1);
    await reaches(next, 'running');
    await owner.call('DELETE', `/api/boards/${next.board}`);
    await until(async () => (await fetchHistory(a)).every(({ status }) => status === 'cancelled'));
  });
});
