import type { HistoryEntry, HistoryList, ReplayJob } from '@millrace/contracts';
import { expect, test, vi } from 'vitest';
import { graph, until } from '../../resources/executions/testing/workflows.ts';
import { useKilledServers } from '../../testing/killed-servers.ts';
import { registerPerson } from '../../testing/server-process.ts';
import { describeOnPostgres } from '../journal/testing/databases.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describeOnPostgres('a replay whose process is killed', () => {
  const { sender, effects, start } = useKilledServers();

  test('is finished by the next one: results that are kept are there, and no idempotent effect has another key', async () => {
    // Three effects of the first run; the replay repeats the last two of them, and dies after its first one.
    const first = await start('after_effect:SIGKILL:4');
    const call = await registerPerson(first.url);
    const document = graph(
      [['start', 'textInput'], sender('first'), sender('second'), sender('third')],
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
    const second = await start();
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
    // Dies after the third replay that is stored, before the job has counted it.
    const first = await start('after_accept:SIGKILL:3');
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
    const second = await start();
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
