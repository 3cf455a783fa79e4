import { type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BoardCardDetail, BoardState, HistoryList } from '@millrace/contracts';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
} from '../../../execution/journal/testing/databases.ts';
import { registerPerson, startServerProcess } from '../../../testing/server-process.ts';
import { graph, until } from '../../executions/testing/workflows.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describeOnPostgres('a move whose chain is started by a process that is killed', () => {
  let postgres: PostgresForTest;
  let target: Server;
  let base: string;
  let folder: string;
  const effects: string[] = [];
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    postgres = await openPostgresForTest();
    folder = mkdtempSync(join(tmpdir(), 'board-'));
    target = createServer((request, response) => {
      effects.push(String(request.url).slice(1));
      response.setHeader('content-type', 'application/json');
      request.resume().on('end', () => response.end('{}'));
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  });
  // A process of an earlier test would do the work of the one that is to die.
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    effects.length = 0;
  });
  afterAll(async () => {
    target.closeAllConnections();
    target.close();
    rmSync(folder, { recursive: true, force: true });
    await postgres.database.close();
  });

  async function startServer(fault?: string) {
    const server = await startServerProcess({ data_dir: folder, database_url: postgres.url, fault });
    children.push(server.child);
    return server;
  }

  /** Runs of the chain, and how many of its two are there when the process is dead. */
  test.each([
    ['before the first run is stored', 'before_board_run:SIGKILL:1', 0],
    ['after the first run is stored', 'after_board_run:SIGKILL:1', 1],
    ['before the second run is stored', 'before_board_run:SIGKILL:2', 1],
    ['after the second run is stored', 'after_board_run:SIGKILL:2', 2],
  ])('%s: each workflow of the chain has run once', async (_where, fault, stored) => {
    const first = await startServer(fault);
    const call = await registerPerson(first.url);
    const post = async <T>(path: string, body: unknown) =>
      (await (await call(first.url, 'POST', path, body)).json()) as T;
    const create = async (name: string) => {
      const { id } = await post<{ id: string }>('/api/workflows', { name });
      const send = { curl: `curl -X PUT ${base}/${name} -d x` };
      const document = graph(
        [
          ['start', 'textInput'],
          ['send', 'http', send],
        ],
        ['start>send'],
      );
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
    const { sql } = postgres.database;
    const { rows } = await sql.query({
      text: 'SELECT 1 FROM runs WHERE workflow_id = ANY ($1::uuid[])',
      values: [chain],
    });
    expect(rows).toHaveLength(stored);

    const second = await startServer();
    // The claim of the dead process would last for two minutes.
    await sql.query({ text: 'UPDATE board_rounds SET next_look_at = now()' });
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
