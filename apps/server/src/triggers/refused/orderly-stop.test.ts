import { expect, test } from 'vitest';
import { createWorkflow, graph } from '../../resources/executions/testing/workflows.ts';
import { createTestApp } from '../../testing/test-app.ts';
import { KEPT_IN_A_MINUTE } from './refusals.ts';

test('an orderly stop writes what was only counted', async () => {
  const { app, user, services, close } = await createTestApp();
  const nodes = graph(
    [
      ['refusing', 'webhookTrigger'],
      ['out', 'output', { message: 'ok' }],
    ],
    ['refusing>out'],
  );
  const workflow_id = await createWorkflow(await user(), nodes);
  for (let delivery = 0; delivery < KEPT_IN_A_MINUTE + 2; delivery++)
    await app.inject({
      method: 'POST',
      url: '/api/webhooks/refusing',
      headers: { 'content-type': 'application/json' },
      payload: '{"broken',
    });
  await app.close();
  const { rows } = await services.database.sql.query({
    text: 'SELECT sum(count)::int AS count FROM refused_deliveries WHERE workflow_id = $1',
    values: [workflow_id],
  });
  expect(rows).toEqual([{ count: KEPT_IN_A_MINUTE + 2 }]);
  await close();
});
