import type { WorkflowDocument } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '../../testing/test-app.ts';
import { createWorkflow, ECHO, executeUrl, graph } from './testing/workflows.ts';

const app = await useTestApp();
const owner = await app.user();

const CYCLE = graph(
  [
    ['start', 'textInput'],
    ['one', 'set'],
    ['two', 'set'],
  ],
  ['start>one', 'one>two', 'two>one'],
);

async function countRuns(id: string): Promise<number> {
  const list = await owner.call('GET', `/api/workflows/${id}/history`);
  return list.json<{ total: number }>().total;
}

/** A graph that was stored before saving refused it. */
async function storeAsIs(id: string, { nodes }: WorkflowDocument): Promise<void> {
  await app.services.database.sql.query({
    text: 'UPDATE workflow_versions SET nodes = $2 WHERE id = (SELECT version_id FROM workflows WHERE id = $1)',
    values: [id, JSON.stringify(nodes)],
  });
}

describe('a graph that no run could go through', () => {
  test.each(['', '/stream'])(
    'is answered with 400 by execute%s, says why and leaves no run',
    async (rest) => {
      const id = await createWorkflow(owner, CYCLE);
      const answer = await app.call('POST', executeUrl(id, rest), {});
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({
        code: 'bad_request',
        detail: expect.stringMatching(/one → two → one.*Remove one of the edges/),
      });
      expect(await countRuns(id)).toBe(0);
    },
  );

  test('is refused for a test run and under an Idempotency-Key as well', async () => {
    const id = await createWorkflow(owner, CYCLE);
    expect((await app.call('POST', executeUrl(id, '?test_run=true'), {})).statusCode).toBe(400);
    const keyed = await app.call('POST', executeUrl(id), {}, { 'idempotency-key': 'k' });
    expect(keyed.statusCode).toBe(400);
  });

  test.each(['__proto__', 'constructor', 'prototype'])(
    'has a node called %s that was saved before this was checked',
    async (label) => {
      const id = await createWorkflow(owner, ECHO);
      await storeAsIs(id, graph([['start', 'textInput', { label }]], []));
      const answer = await app.call('POST', executeUrl(id), {});
      expect(answer.statusCode).toBe(400);
      expect(answer.json<{ detail: string }>().detail).toContain(`"${label}"`);
      expect(await countRuns(id)).toBe(0);
    },
  );
});

test('a note may be called anything that no output is kept under', async () => {
  const id = await createWorkflow(owner, ECHO);
  await storeAsIs(id, { ...ECHO, nodes: [...ECHO.nodes, ...graph([['constructor', 'sticky']], []).nodes] });
  expect((await app.call('POST', executeUrl(id), { text: 'hi' })).json()).toMatchObject({
    outputs: { out: { result: 'hi' } },
  });
});
