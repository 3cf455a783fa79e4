// Leads through: pages/runs, features/ran-node, editor/run
import type { HistoryEntry } from '@millrace/contracts';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, readWorkflow, test } from './support/journey.ts';
import { ORDERS } from './support/orders.ts';
import { BREAKS, call, execute } from './support/seed.ts';

test('one node runs alone with what the nodes before it gave', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, ORDERS);
  await editor.open(workflow.id);
  await editor.run();
  await expect(editor.runPanel.getByText('Success', { exact: true })).toBeVisible();

  await editor.choose('priced');
  await editor.write('Value 2', '$int($order.body.amount) * 3');
  await editor.node('priced').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Run only this node' }).click();
  await expect(editor.panel.getByRole('region', { name: 'Output of priced' })).toContainText('120');
  await expect(editor.node('isLarge').getByText(/ms/)).toHaveCount(0);

  await test.step('it is a replay of the run before, in the history of the workflow', async () => {
    await expect
      .poll(async () => {
        const list = await call<{ items: object[] }>(person, 'GET', `/api/workflows/${workflow.id}/history`);
        return list.items;
      })
      .toMatchObject([
        { replay_of: expect.any(String), replay_from: { node_id: 'set', only: true } },
        { replay_of: null },
      ]);
  });

  await test.step('it leaves no workflow behind', async () => {
    await expect
      .poll(async () => {
        const answer = await person.context.request.get('/api/workflows');
        return ((await answer.json()) as { name: string }[]).map(({ name }) => name);
      })
      .toEqual(['Order intake']);
  });
});

test('a node that has never run is run with all that leads to it', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, ORDERS);
  await editor.open(workflow.id);
  await editor.choose('priced');
  await editor.node('priced').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Run to here' }).click();
  await expect(editor.panel.getByRole('region', { name: 'Output of priced' })).toContainText('48');
  await expect(editor.node('order').getByText(/ms/)).toBeAttached();
  await expect(editor.node('isLarge').getByText(/ms/)).toHaveCount(0);

  await test.step('its page names the node that it was to run to', async () => {
    const path = `/api/workflows/${workflow.id}/history`;
    const { items } = await call<{ items: { id: string }[] }>(person, 'GET', path);
    await page.goto(`/runs/${items[0]?.id}`);
    const term = page.getByRole('term').filter({ hasText: 'Run up to' });
    await expect(term.locator('+ dd')).toHaveText('priced');
  });
});

test('a failed run is continued from its run page', async ({ person }) => {
  const { page } = person;
  const breaks = await createWorkflow(person, BREAKS);
  await execute(person, breaks.id, { number: '7' });
  await page.goto('/runs');
  const table = page.getByRole('table', { name: 'Runs' });
  await table.getByRole('row').filter({ hasText: 'Invoice reminder' }).getByText('Error').click();
  await page.getByRole('button', { name: 'Resume from the failed node' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume from the failed node' }).click();
  await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}$/);
  const [replay = ''] = page.url().split('/').slice(-1);
  const failure = page.getByRole('region', { name: 'Why refuse failed' });
  await expect(failure).toBeVisible();
  const entry = await call<HistoryEntry>(person, 'GET', `/api/workflows/history/all/${replay}`);
  expect(entry.replay_from).toMatchObject({ from: 'failed', node_id: 'refuse' });
  await expect(page.getByText('from refuse')).toBeVisible();
  await page.getByRole('tab', { name: /^Nodes/ }).click();
  await expect(page.getByText('Reused')).toBeVisible();

  await test.step('the runs lead to each other', async () => {
    const earlier = String(entry.replay_of);
    await page.getByRole('link', { name: `Run ${earlier.slice(0, 8)}` }).click();
    await expect(page).toHaveURL(new RegExp(`/runs/${earlier}$`));
    await expect(failure).toBeVisible();
    await page.getByRole('tab', { name: /^Nodes/ }).click();
    await expect(page.getByText('Reused')).toBeHidden();
    await page.getByRole('link', { name: `Run ${replay.slice(0, 8)}` }).click();
    await expect(page).toHaveURL(new RegExp(`/runs/${replay}$`));
  });

  await test.step('a run that is run again as a whole is a replay from the start', async () => {
    await page.getByRole('button', { name: 'Run again', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
    await expect(page.getByText('from the start')).toBeVisible();
    await page.goto('/runs');
    await expect(table.getByRole('link', { name: /^Replay of run [0-9a-f]{8}$/ })).toHaveCount(2);
  });
});

test('nodes are taken out into a workflow that gives the same result', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, ORDERS);
  await editor.open(workflow.id);
  await editor.node('priced').click({ button: 'right' });
  await page.getByRole('menuitem', { name: /Extract to a workflow/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Extract to a workflow' });
  await dialog.getByRole('textbox', { name: 'Name of the new workflow' }).fill('Pricing');
  await dialog.getByRole('button', { name: 'Extract' }).click();
  await expect(editor.node('pricing')).toBeVisible();
  await expect(editor.node('priced')).toBeHidden();

  await editor.run();
  // Changes that another workflow makes cannot be seen from here, so the editor asks.
  const question = page.getByRole('dialog', { name: 'Test run with real effects?' });
  await expect(question).toContainText('pricing');
  await question.getByRole('button', { name: 'Run' }).click();
  await expect(editor.runPanel.getByText('Success', { exact: true })).toBeVisible();
  await expect(editor.runPanel.getByRole('region', { name: 'Outputs' })).toContainText(
    'Thanks Ada, that is 48',
  );
  await expect
    .poll(async () => JSON.stringify((await readWorkflow(person, workflow.id))['nodes']))
    .toContain('$pricing.outputs.result.priced.total');
});
