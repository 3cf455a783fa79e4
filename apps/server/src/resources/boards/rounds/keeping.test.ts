import type { BoardState, CardStatus } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { noteConnectionError } from '../../../database/connection-loss.ts';
import { workOnDue } from '../../../execution/claimed-work/claimed-work.ts';
import { type Claim, claimNext, postpone } from '../../../execution/claimed-work/claims.ts';
import type { Services } from '../../../services.ts';
import { useTestApp } from '../../../testing/test-app.ts';
import { createWorkflow, until } from '../../executions/testing/workflows.ts';
import { purgeCardRuns, purgeDeletedCards } from '../cards/service.ts';
import { deleteBoard } from '../service.ts';
import {
  type BoardWorld,
  cardUrl,
  createBoardWorld,
  fetchHistory,
  moveCard,
  readCard,
  telling,
  told,
  WAITING,
} from '../testing/boards.ts';
import { ROUND_CLAIMS } from './queries.ts';
import { BOARD_ROUNDS } from './work.ts';

const DAY_MS = 86_400_000;

const app = await useTestApp();
const owner = await app.user('Owner');

const pass = (services: Services = app.services) =>
  workOnDue(services, BOARD_ROUNDS, { stopping: new AbortController().signal });
const sql = <Row>(text: string, ...values: unknown[]) =>
  app.services.database.sql.query<Row>({ text, values }).then(({ rows }) => rows);
/** Lets the time pass for which a round rests. */
const wakeRounds = () => sql("UPDATE board_rounds SET next_look_at = now() - interval '1 second'");
const reaches = (at: BoardWorld, status: CardStatus) =>
  until(async () => {
    await pass();
    const card = await readCard(at, owner);
    return card.run_status === status && card;
  });

/** A card whose run is under way for an hour. */
async function running(): Promise<{ at: BoardWorld; workflow: string }> {
  const workflow = await createWorkflow(owner, WAITING);
  const at = await createBoardWorld(owner, [workflow]);
  await moveCard(at, 1, owner);
  await reaches(at, 'running');
  return { at, workflow };
}

describe('a board that is deleted', () => {
  /** Fails when a process would be lost: before the commit, or after it, before other processes are notified. */
  function lost(when: 'before the commit' | 'behind the commit'): Pick<Services, 'execution'> {
    const { execution } = app.services;
    const lose = () => {
      throw new Error('the process was lost');
    };
    const cancelWithin: typeof execution.ownership.cancelWithin = async (tx, run_ids) => {
      await execution.ownership.cancelWithin(tx, run_ids);
      return when === 'before the commit' ? lose() : { announce: lose };
    };
    const ownership = { ...execution.ownership, cancelWithin };
    return { execution: { ...execution, ownership } };
  }
  const remove = (at: BoardWorld, services: Pick<Services, 'execution'>) =>
    deleteBoard(
      {
        db: app.services.database.db,
        actor: { user_id: owner.id, name: 'Owner', email: owner.email, is_admin: false },
        now: Date.now,
        request_id: 'r',
        client_ip: '127.0.0.1',
      },
      services,
      at.board,
    );

  test('has asked its runs to end in the same transaction', async () => {
    const { at, workflow } = await running();
    await expect(remove(at, lost('behind the commit'))).rejects.toThrow('the process was lost');
    expect((await owner.call('GET', `/api/boards/${at.board}`)).statusCode).toBe(404);
    await until(async () => (await fetchHistory(workflow, owner))[0]?.status === 'cancelled');
  });

  test('leaves them alone when it is not deleted after all', async () => {
    const { at, workflow } = await running();
    await expect(remove(at, lost('before the commit'))).rejects.toThrow('the process was lost');
    expect((await owner.call('GET', `/api/boards/${at.board}`)).statusCode).toBe(200);
    const [run] = await fetchHistory(workflow, owner);
    expect(run?.status).not.toBe('cancelled');
    const asked = await sql('SELECT 1 FROM runs WHERE id = $1 AND cancel_requested_at IS NOT NULL', run?.id);
    expect(asked).toEqual([]);
  });
});

describe('a round that fails in an unexpected way', () => {
  function failing(error: () => Error): Services {
    const { execution } = app.services;
    const internal = () => {
      throw error();
    };
    return { ...app.services, execution: { ...execution, admit: { ...execution.admit, internal } } };
  }
  const rounds = (at: BoardWorld) =>
    sql<{ state: string; failures: number }>(
      'SELECT state, failures FROM board_rounds WHERE card_id = $1',
      at.card,
    );

  test('is tried again, and the third time in a row the card fails and says so', async () => {
    const [a, b] = [await createWorkflow(owner, telling('a')), await createWorkflow(owner, telling('b'))];
    const at = await createBoardWorld(owner, [a, b]);
    await moveCard(at, 1, owner);
    const broken = failing(() => new TypeError('a bug'));
    for (const failures of [1, 2]) {
      await pass(broken);
      expect(await rounds(at)).toEqual([{ state: 'open', failures }]);
      expect(await readCard(at, owner)).toMatchObject({ run_status: 'queued' });
      await wakeRounds();
    }
    await pass(broken);
    const card = await readCard(at, owner);
    expect(card).toMatchObject({
      run_status: 'failed',
      runs: [
        { status: 'error', error: 'Something went wrong on our side', execution_history_id: null },
        { status: 'cancelled', error: null },
      ],
    });
    expect(JSON.stringify(card)).not.toContain('a bug');
    await owner.call('POST', `${cardUrl(at)}/run`);
    await reaches(at, 'done');
    expect([await fetchHistory(a, owner), await fetchHistory(b, owner)].map(({ length }) => length)).toEqual([
      1, 1,
    ]);
  });

  test('counts anew after a look that went well', async () => {
    const a = await createWorkflow(owner, telling('a'));
    const at = await createBoardWorld(owner, [a]);
    await moveCard(at, 1, owner);
    await pass(failing(() => new TypeError('a bug')));
    await wakeRounds();
    await pass(failing(() => new TypeError('a bug')));
    await wakeRounds();
    await pass();
    await reaches(at, 'done');
    expect(await rounds(at)).toEqual([{ state: 'done', failures: 0 }]);
    expect(await fetchHistory(a, owner)).toHaveLength(1);
  });

  test('waits for a database that is away, however long that takes', async () => {
    const a = await createWorkflow(owner, telling('a'));
    const at = await createBoardWorld(owner, [a]);
    await moveCard(at, 1, owner);
    const away = failing(() =>
      noteConnectionError(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
    );
    for (let times = 0; times < 5; times++) {
      await pass(away);
      await wakeRounds();
    }
    expect(await rounds(at)).toEqual([{ state: 'open', failures: 0 }]);
    await reaches(at, 'done');
    expect(await fetchHistory(a, owner)).toHaveLength(1);
  });

  /** Looks at the rounds as often as it takes to give one up. */
  async function giveUp(at: BoardWorld, broken: Services): Promise<void> {
    await until(async () => {
      await wakeRounds();
      await pass(broken);
      return (await rounds(at)).every(({ state }) => state !== 'open');
    });
  }
  const hasEnded = (workflow: string) =>
    until(async () => (await fetchHistory(workflow, owner))[0]?.status === 'cancelled');

  test('fails the card when the end of its run cannot be read', async () => {
    const { at, workflow } = await running();
    const [run] = await fetchHistory(workflow, owner);
    await owner.call('POST', `/api/workflows/${workflow}/executions/${run?.id}/cancel`);
    await hasEnded(workflow);
    const { execution } = app.services;
    const journal = { ...execution.journal, load: () => Promise.reject(new TypeError('a bug')) };
    await giveUp(at, {
      ...app.services,
      execution: { ...execution, journal },
    });
    expect(await readCard(at, owner)).toMatchObject({
      run_status: 'failed',
      runs: [{ status: 'error', error: 'Something went wrong on our side' }],
    });
  });

  test('ends the run that it can no longer follow', async () => {
    const { at, workflow } = await running();
    await owner.call('POST', `${cardUrl(at)}/stop`);
    const { database } = app.services;
    const query: typeof database.sql.query = (statement) =>
      statement.text.includes('AS ended')
        ? Promise.reject(new TypeError('a bug'))
        : database.sql.query(statement);
    await giveUp(at, { ...app.services, database: { ...database, sql: { ...database.sql, query } } });
    expect(await readCard(at, owner)).toMatchObject({
      run_status: 'stopped',
      runs: [{ error: 'Something went wrong on our side' }],
    });
    await hasEnded(workflow);
  });
});

test('a stop takes a round from the process that holds it', async () => {
  const at = await createBoardWorld(owner, [await createWorkflow(owner, telling('a'))]);
  await moveCard(at, 1, owner);
  const client = app.services.database.sql;
  const claim = (await claimNext(client, ROUND_CLAIMS)) as Claim;
  expect(
    await sql('SELECT 1 FROM board_rounds WHERE card_id = $1 AND id = $2', at.card, claim.id),
  ).toHaveLength(1);
  await owner.call('POST', `${cardUrl(at)}/stop`);
  expect(await postpone(client, ROUND_CLAIMS, claim, { seconds: 60 })).toBeUndefined();
  await pass();
  expect(await readCard(at, owner)).toMatchObject({ run_status: 'stopped' });
});

test('columns in one position follow each other in the order in which they are shown', async () => {
  const a = await createWorkflow(owner, telling('a'));
  const at = await createBoardWorld(owner);
  await sql('UPDATE board_columns SET position = 1 WHERE board_id = $1', at.board);
  const { columns } = (await owner.call('GET', `/api/boards/${at.board}`)).json<BoardState>();
  const [first, second, third] = columns;
  for (const { id } of [first, second].flatMap((column) => column ?? []))
    await owner.call('PATCH', `/api/boards/${at.board}/columns/${id}`, {
      workflow_ids: [a],
      auto_advance: true,
    });
  // Wherever the card is now, it enters the first column from elsewhere.
  await owner.call('POST', `${cardUrl(at)}/move`, { to_column_id: third?.id });
  await owner.call('POST', `${cardUrl(at)}/move`, { to_column_id: first?.id });
  const card = await until(async () => {
    await pass();
    const now = await readCard(at, owner);
    return now.column_id === third?.id && now;
  });
  expect(card.runs.map(({ column_name }) => column_name)).toEqual([second?.name, first?.name]);
});

describe('what is kept of runs on cards', () => {
  const kept = (at: BoardWorld) =>
    sql<{ run_id: string | null; output: string | null; error: string | null }>(
      `SELECT l.run_id, l.output, l.error FROM board_card_runs l JOIN board_rounds o ON o.id = l.round_id
       WHERE o.card_id = $1 ORDER BY o.number, l.chain_position`,
      at.card,
    );
  async function done(...workflows: string[]): Promise<BoardWorld> {
    const at = await createBoardWorld(owner, workflows);
    await moveCard(at, 1, owner);
    await reaches(at, 'done');
    return at;
  }

  test('goes with the run, and the others of the chain stay', async () => {
    const [a, b] = [await createWorkflow(owner, telling('a')), await createWorkflow(owner, telling('b'))];
    const at = await done(a, b);
    expect((await owner.call('DELETE', `/api/workflows/${a}/history`)).statusCode).toBeLessThan(300);
    expect((await readCard(at, owner)).runs).toMatchObject([
      { status: 'success', execution_history_id: null, output: null },
      { status: 'success', execution_history_id: expect.any(String), output: told('b') },
    ]);
  });

  test('goes with a run that was deleted while its chain was under way, once the chain is over', async () => {
    const [a, b] = [
      await createWorkflow(owner, telling('a')),
      await createWorkflow(owner, telling('$input.body.previous_output.out.result')),
    ];
    const at = await createBoardWorld(owner, [a, b]);
    await moveCard(at, 1, owner);
    await until(async () => {
      if ((await kept(at))[0]?.output) return true;
      await pass(stopBehind(a));
      return false;
    });
    await owner.call('DELETE', `/api/workflows/${a}/history`);
    expect(await kept(at)).toMatchObject([{ output: JSON.stringify(told('a')) }, { output: null }]);
    await wakeRounds();
    const card = await reaches(at, 'done');
    expect(card.runs).toMatchObject([{ execution_history_id: null, output: null }, { output: told('a') }]);
  });

  /** Admits this workflow alone; all others fail as if the database were away. */
  function stopBehind(workflow: string): Services {
    const { execution } = app.services;
    const { admit } = execution;
    const internal: typeof admit.internal = (request) => {
      if (request.workflow.settings.id === workflow) return admit.internal(request);
      throw noteConnectionError(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    };
    return { ...app.services, execution: { ...execution, admit: { ...admit, internal } } };
  }

  test('a run that is deleted before its end fails the card and says so', async () => {
    const a = await createWorkflow(owner, WAITING);
    const at = await createBoardWorld(owner, [a]);
    await moveCard(at, 1, owner);
    await reaches(at, 'running');
    await sql('DELETE FROM runs WHERE workflow_id = $1', a);
    expect((await reaches(at, 'failed')).runs).toMatchObject([
      { status: 'error', error: 'The run was deleted', execution_history_id: null },
    ]);
  });

  test('goes when runs of that age go, and stays while runs are kept', async () => {
    const at = await done(await createWorkflow(owner, telling('a')));
    const purge = (days: number, later_days: number) =>
      purgeCardRuns(app.services.database.sql, { now_ms: Date.now() + later_days * DAY_MS, days });
    expect(await purge(0, 1_000)).toBe(0);
    await purge(30, 29);
    expect(await kept(at)).toHaveLength(1);
    expect(await purge(30, 31)).toBeGreaterThan(0);
    expect(await kept(at)).toEqual([]);
    expect(await readCard(at, owner)).toMatchObject({ run_status: 'done', runs: [] });
  });

  test('goes with its card, 30 days after that was deleted; a card whose run has not ended waits for it', async () => {
    const at = await done(await createWorkflow(owner, telling('a')));
    const busy = await createBoardWorld(owner, [await createWorkflow(owner, WAITING)]);
    await moveCard(busy, 1, owner);
    await reaches(busy, 'running');
    await owner.call('DELETE', cardUrl(at));
    await owner.call('DELETE', cardUrl(busy));
    const purge = (later_days: number) =>
      purgeDeletedCards(app.services.database.sql, Date.now() + later_days * DAY_MS);
    await purge(29);
    expect(await kept(at)).toHaveLength(1);
    await purge(31);
    expect(await kept(at)).toEqual([]);
    expect(await kept(busy)).toHaveLength(1);
    await until(async () => {
      await pass();
      return (await purge(31)) > 0;
    });
    expect(await kept(busy)).toEqual([]);
  });
});
