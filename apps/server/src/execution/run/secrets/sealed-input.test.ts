import { expect, test, vi } from 'vitest';
import { graph } from '../../../resources/executions/testing/workflows.ts';
import { createRequest, createTestEnvironment, noRunSecrets } from '../../testing/run-environment.ts';
import type { RunExecutor } from '../executor/run-executor.ts';
import { resumeRun } from '../start/run-workflow.ts';

const SECRET = 'sk-live-0123456789';
const shown = {
  id: '1',
  name: 'key',
  type: 'bearer',
  expression_value: SECRET,
  config: {},
  secrets: [SECRET],
};

const withKey = (overrides: Partial<typeof noRunSecrets> = {}) =>
  createTestEnvironment({
    run_secrets: {
      ...noRunSecrets,
      credentialsByName: () => Promise.resolve(new Map([['key', shown]])),
      ...overrides,
    },
  });

/** Waits, and then looks at what it was started with. */
const document = graph(
  [
    ['start', 'textInput'],
    ['pause', 'wait', { duration: 40 }],
    ['out', 'output', { message: '$input.body.text.length + " " + ($input.body.text == $credentials.key)' }],
  ],
  ['start>pause', 'pause>out'],
);

async function crashAndResume(environment: ReturnType<typeof withKey>) {
  const workflow = environment.publish(document);
  const first = (await environment.start(createRequest(workflow, { text: SECRET }))) as RunExecutor;
  first.handOver();
  await first.finished.catch(() => undefined);
  environment.journal.crash(first.run_id);
  await environment.ownership.claim(1);
  const stored = await environment.journal.load(first.run_id);
  if (!stored) throw new Error('the run is gone');
  const answer = await (await resumeRun(environment, stored, workflow)).finished;
  return { stored, answer, ended: (await environment.journal.load(first.run_id))?.final };
}

test('§5.8: after a crash a run continues with the input that it was started with, which is stored masked', async () => {
  const { stored, answer } = await crashAndResume(withKey());
  expect(answer.outputs).toEqual({ out: { result: `${SECRET.length} True` } });
  expect(stored.begin.input).toMatchObject({ body: { text: 'sk-live**' } });
  expect(JSON.stringify(stored)).not.toContain(SECRET);
});

test('§5.8: when the key that sealed it is gone, a run ends with an error that says so, and no node gets the masked input', async () => {
  const open = vi.fn(() => undefined);
  const { answer, ended } = await crashAndResume(withKey({ open }));
  expect(open).toHaveBeenCalled();
  expect(answer.status).toBe('error');
  expect(answer.outputs).not.toHaveProperty('out');
  expect(ended?.failure).toMatchObject({
    kind: 'credential',
    message: expect.stringContaining('ENCRYPTION_KEYS_OLD'),
  });
});
