// Leads through: pages/runs, features/run-view, features/ran-node, editor/run
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, test } from './support/journey.ts';

const SLOW = {
  name: 'Slow workflow',
  nodes: [
    { id: 'a', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'start', inputFields: [] } },
    { id: 'b', type: 'wait', position: { x: 280, y: 0 }, data: { label: 'pause', duration: 20_000 } },
    {
      id: 'c',
      type: 'output',
      position: { x: 560, y: 0 },
      data: { label: 'answer', message: 'arrived after the reload' },
    },
  ],
  edges: [
    { id: 'e1', source: 'a', target: 'b' },
    { id: 'e2', source: 'b', target: 'c' },
  ],
};

test('a reload in the middle of a run loses nothing', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, SLOW);
  await editor.open(workflow.id);
  await editor.run();
  await expect(editor.node('pause').getByText('running')).toBeVisible();
  await expect(page).toHaveURL(/\?run=/);

  await page.reload();
  await expect(editor.runPanel.getByText('Running', { exact: true })).toBeVisible();
  await expect(editor.runPanel.getByText('Success', { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(editor.runPanel.getByRole('region', { name: 'Outputs' })).toContainText(
    'arrived after the reload',
  );

  await test.step('it is in Runs once', async () => {
    await page.goto('/runs');
    await expect(page.getByText('Slow workflow').first()).toBeVisible();
    const history = await person.context.request.get(`/api/workflows/${workflow.id}/history`);
    expect((await history.json()) as object).toMatchObject({ total: 1, items: [{ status: 'success' }] });
  });
});

test('a run from history is shown on the canvas and can be run again', async ({ person }) => {
  const { page, context } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, {
    name: 'Run again',
    nodes: [
      { id: 'a', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'start', inputFields: [] } },
      {
        id: 'b',
        type: 'output',
        position: { x: 280, y: 0 },
        data: { label: 'answer', message: 'Hello $start.body.who' },
      },
    ],
    edges: [{ id: 'e', source: 'a', target: 'b' }],
  });
  const answer = await context.request.post(`/api/workflows/${workflow.id}/execute`, {
    data: { who: 'Grace' },
  });
  expect(answer.status()).toBe(200);
  const history = await context.request.get(`/api/workflows/${workflow.id}/history`);
  const { items } = (await history.json()) as { items: { id: string }[] };

  await page.goto(`/workflows/${workflow.id}?run=${items[0]?.id}`);
  await expect(editor.runPanel.getByText('Run of')).toBeVisible();
  await expect(editor.runPanel.getByRole('region', { name: 'Outputs' })).toContainText('Hello Grace');
  await editor.runPanel.getByRole('button', { name: 'Run again' }).click();
  await expect(editor.runPanel.getByText('Run of')).toBeHidden();
  await expect(editor.runPanel.getByText('Success', { exact: true })).toBeVisible();
  await expect(editor.runPanel.getByRole('region', { name: 'Outputs' })).toContainText('Hello Grace');
});
