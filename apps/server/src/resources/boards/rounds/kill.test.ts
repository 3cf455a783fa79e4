import type { BoardCardDetail, BoardState, HistoryList } from '@millrace/contracts';
import { expect, test, vi } from 'vitest';
import { describeOnPostgres } from '../../../execution/journal/testing/databases.ts';
import { useKilledServers } from '../../../testing/killed-servers.ts';
import { registerPerson } from '../../../testing/server-process.ts';
import { graph, until } from '../../executions/testing/workflows.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describeOnPostgres('a move whose chain is started by a process that is killed', () => {
  const { database, sender, effects, start } = useKilledServers();

  /** Runs of the chain, and how many of its two are there when the process is dead. */
  test.each([
    ['before the first run is stored', 'before_board_run:SIGKILL:1', 0],
    ['after the first run is stored', 'after_board_run:SIGKILL:1', 1],
    ['before the second run is stored', 'before_board_run:SIGKILL:2', 1],
    ['after the second run is stored', 'after_board_run:SIGKILL:2', 2],
  ])('%s: each workflow of the chain has run once', async (_where, fault, stored) => {
    const first = await start(fault);
    const call = await registerPerson(first.url);
    const post = async <T>(path: string, body: unknown) =>
      (await (await call(first.url, 'POST', path, body)).json()) as T;
    const create = async (name: string) => {
      const { id } = await post<{ id: string }>('/api/workflows', { name });
      const document = graph([['start', 'textInput'], sender(name)], [`start>${name}`]);
      await call(first.url, 'PUT', `/api/workflows/${id}`, document);
      return id;
    };
    const chain = [await create('one'), await create('two')];
    const { id: board } = await post<{ id: string }>('/api/boards', {});
    const read = await call(first.url, 'GET', `/api/boards/${board}`);
    const column = ((await read.json()) as BoardState).columns[1]?.id;
    await call(first.url, 'PATCH', `/api/boards/${board}/columns/${column}`, { workflow_ids: chain });
    const { id: card } = await post<{ id: string }>(`/api/boards/${board}/cards`, { title: 'Poster' });
    const url = `/api/boards/${board}/cards/${card}`;
    const moved = await call(first.url, 'POST', `${url}/move`, { to_column_id: column });
    expect(moved.status).toBe(200);
    expect(await first.died).toBe('SIGKILL');
    const { sql } = database();
    const { rows } = await sql.query({
      text: 'SELECT 1 FROM runs WHERE workflow_id = ANY ($1::uuid[])',
      values: [chain],
    });
    expect(rows).toHaveLength(stored);

    const second = await start();
    // The claim of the dead process would last for half a minute.
    await sql.query({ text: "UPDATE board_rounds SET next_look_at = now() - interval '1 second'" });
    const done = await until(async () => {
      const found = (await (await call(second.url, 'GET', url)).json()) as BoardCardDetail;
      return found.run_status === 'done' && found;
    }, 60_000);
    expect(done.runs).toMatchObject([
      { workflow_id: chain[0], status: 'success' },
      { workflow_id: chain[1], status: 'success' },
    ]);
    for (const [at, workflow] of chain.entries()) {
      const history = await call(second.url, 'GET', `/api/workflows/${workflow}/history`);
      expect(((await history.json()) as HistoryList).items).toMatchObject([
        { id: done.runs[at]?.execution_history_id, trigger_source: 'board', status: 'success' },
      ]);
    }
    expect(effects).toEqual(['one', 'two']);
  });
});
