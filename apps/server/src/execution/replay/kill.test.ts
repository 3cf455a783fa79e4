import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HistoryEntry, HistoryList, ReplayJob } from '@millrace/contracts';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { graph, until } from '../../resources/executions/testing/workflows.ts';
import { registerPerson, type ServerProcess, startServerProcess } from '../../testing/server-process.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
} from '../journal/testing/databases.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describeOnPostgres('a replay whose process is killed', () => {
  let postgres: PostgresForTest;
  let target: Server;
  let base: string;
  let folder: string;
  const effects: string[] = [];
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    postgres = await openPostgresForTest();
    folder = mkdtempSync(join(tmpdir(), 'replay-'));
    target = createServer((request, response) => {
      effects.push(String(request.url).slice(1));
      response.setHeader('content-type', 'application/json');
      request.resume().on('end', () => response.end('{}'));
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  });
  // A process of an earlier test would take over what the one that is to die has begun.
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  afterAll(async () => {
    target.closeAllConnections();
    target.close();
    rmSync(folder, { recursive: true, force: true });
    await postgres.database.close();
  });

  async function startServer(fault?: string): Promise<ServerProcess> {
    const server = await startServerProcess({ data_dir: folder, database_url: postgres.url, fault });
    children.push(server.child);
    return server;
  }

  test('is finished by the next one: results that stand are there, and no idempotent effect has another key', async () => {
    // Three effects of the first run; the replay repeats the last two of them, and dies behind its first one.
    const first = await startServer('after_effect:SIGKILL:4');
    const call = await registerPerson(first.url);
    const put = (id: string): [string, string, { curl: string }] => [
      id,
      'http',
      { curl: `curl -X PUT ${base}/${id} -d x` },
    ];
    const document = graph(
      [['start', 'textInput'], put('first'), put('second'), put('third')],
      ['start>first', 'first>second', 'second>third'],
    );
    const created = await call(first.url, 'POST', '/api/workflows', { name: 'kill' });
    const { id } = (await created.json()) as { id: string };
    await call(first.url, 'PUT', `/api/workflows/${id}`, { ...document, auth_type: 'anonymous' });
    const executed = await call(first.url, 'POST', `/api/workflows/${id}/execute`, {});
    const run = executed.headers.get('x-execution-id');
    expect(effects).toEqual(['first', 'second', 'third']);
    const answer = await call(first.url, 'POST', `/api/workflows/${id}/executions/${run}/replay`, {
      from: 'node',
      node_id: 'second',
    });
    expect(answer.status).toBe(202);
    const { execution_id } = (await answer.json()) as { execution_id: string };
    expect(await first.died).toBe('SIGKILL');
    const second = await startServer();
    const entry = await until(async () => {
      const read = await call(second.url, 'GET', `/api/workflows/history/all/${execution_id}`);
      const found = (await read.json()) as HistoryEntry;
      return found.status === 'success' && found;
    }, 60_000);
    expect(effects.slice(3)).toEqual(['second', 'second', 'third']);
    expect(entry).toMatchObject({ replay_of: run, recovered: true });
    expect(
      entry.node_results.map(({ node_id, metadata }) => `${node_id} ${metadata['reused'] === true}`),
    ).toEqual(['start true', 'first true', 'second false', 'third false']);
  });

  test('within a job of many is there once when the next process has finished the job', async () => {
    // Dies behind the third replay that is stored, before the job has counted it.
    const first = await startServer('after_accept:SIGKILL:3');
    const call = await registerPerson(first.url);
    const created = await call(first.url, 'POST', '/api/workflows', { name: 'bulk' });
    const { id } = (await created.json()) as { id: string };
    const document = graph(
      [
        ['start', 'textInput'],
        ['stop', 'throwError', { errorMessage: 'no' }],
      ],
      ['start>stop'],
    );
    await call(first.url, 'PUT', `/api/workflows/${id}`, { ...document, auth_type: 'anonymous' });
    const runs: string[] = [];
    for (let at = 0; at < 6; at++) {
      const executed = await call(first.url, 'POST', `/api/workflows/${id}/execute`, {});
      runs.push(String(executed.headers.get('x-execution-id')));
    }
    const asked = await call(first.url, 'POST', '/api/replays', { filter: { workflow_id: id }, rate: 100 });
    const job = (await asked.json()) as ReplayJob;
    expect(job).toMatchObject({ total: 6 });
    expect(await first.died).toBe('SIGKILL');
    const second = await startServer();
    const done = await until(async () => {
      const read = (await (await call(second.url, 'GET', `/api/replays/${job.id}`)).json()) as ReplayJob;
      return read.state === 'done' && read;
    }, 90_000);
    expect(done).toMatchObject({ replayed: 6, refused: 0 });
    for (const run of runs) {
      const read = await call(second.url, 'GET', `/api/workflows/${id}/history?replay_of=${run}`);
      expect(((await read.json()) as HistoryList).items).toHaveLength(1);
    }
  });
});
