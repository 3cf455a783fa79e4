import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvalRun } from '@millrace/contracts';
import { type FakeProvider, startFakeProvider } from '@millrace/models/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
} from '../../../execution/journal/testing/databases.ts';
import { registerPerson, startServerProcess } from '../../../testing/server-process.ts';
import { until } from '../../executions/testing/workflows.ts';
import { echo, questionIn, says } from '../testing/world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const CASES = Array.from({ length: 8 }, (_, at) => `case ${at}`);

describeOnPostgres('an eval run whose process is killed', () => {
  let postgres: PostgresForTest;
  let provider: FakeProvider;
  let folder: string;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    postgres = await openPostgresForTest();
    folder = mkdtempSync(join(tmpdir(), 'eval-'));
    provider = await startFakeProvider((call) =>
      JSON.stringify(call.body).includes('You grade')
        ? says('{"explanation":"Yes","score":100}')
        : echo(call),
    );
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    provider.stop();
    rmSync(folder, { recursive: true, force: true });
    await postgres.database.close();
  });

  async function startServer(fault?: string) {
    const server = await startServerProcess({ data_dir: folder, database_url: postgres.url, fault });
    children.push(server.child);
    return server;
  }

  test('is continued, and no answer that was stored is asked for again', async () => {
    const first = await startServer('after_eval_answer:SIGKILL:3');
    const call = await registerPerson(first.url);
    const post = async (path: string, body: object) =>
      (await (await call(first.url, 'POST', path, body)).json()) as { id: string };
    const config = { api_key: 'k', base_url: provider.url };
    const credential = await post('/api/credentials', { name: 'models', type: 'custom', config });
    const suite = `/api/evals/suites/${(await post('/api/evals/suites', { name: 'Cases' })).id}`;
    for (const input of CASES) await post(`${suite}/test-cases`, { input, expected_output: 'x' });
    const body = { scoring_method: 'llm_judge', judge_model: 'judge', credential_id: credential.id };
    const { id } = await post(`${suite}/run`, { ...body, models: ['m'] });
    expect(await first.died).toBe('SIGKILL');

    const { sql } = postgres.database;
    const { rows } = await sql.query<{ input: string; status: string }>({
      text: `SELECT c.input, r.status FROM eval_results r JOIN eval_run_cases c ON c.id = r.run_case_id
        WHERE r.run_id = $1 AND r.status <> 'pending'`,
      values: [id],
    });
    expect(rows.length).toBeGreaterThanOrEqual(3);
    provider.seen.length = 0;
    const second = await startServer();
    // The claim of the dead process would last for half a minute.
    await sql.query({ text: "UPDATE eval_runs SET next_look_at = now() - interval '1 second'" });
    const done = await until(async () => {
      const run = (await (await call(second.url, 'GET', `/api/evals/runs/${id}`)).json()) as EvalRun;
      return run.status === 'completed' && run;
    }, 60_000);
    expect(done).toMatchObject({ done_count: 8, pass_count: 8 });
    const asked = provider.seen.map(questionIn);
    const stored = rows.map(({ input }) => input);
    expect(asked.filter((text) => stored.includes(text))).toEqual([]);
    expect(asked.filter((text) => CASES.includes(text)).toSorted()).toEqual(
      CASES.filter((input) => !stored.includes(input)),
    );
    const judged = rows.filter(({ status }) => status === 'completed').map(({ input }) => input);
    const verdicts = asked.flatMap((text) =>
      text.includes('"answer"') ? (JSON.parse(text) as { input: string }).input : [],
    );
    expect(verdicts.toSorted()).toEqual(CASES.filter((input) => !judged.includes(input)));
  });
});
