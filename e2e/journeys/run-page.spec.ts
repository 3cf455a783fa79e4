// Leads through: pages/runs, features/canvas-view, features/document, features/ran-node
import { violations } from './support/axe.ts';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, type Person, readWorkflow, test } from './support/journey.ts';
import { BREAKS, call, execute, SLOW, startSlow } from './support/seed.ts';

const node = (id: string, type: string, x: number, data: object) => ({
  id,
  type,
  position: { x, y: 0 },
  data: { label: id, ...data },
});

/** Reads a field that its input does not have. */
const PAUSES = {
  name: 'Slow answer',
  nodes: [
    node('order', 'textInput', 0, { inputFields: [{ key: 'pause', defaultValue: '1' }] }),
    node('list', 'set', 280, { mappings: [{ key: 'lines', value: '$order.body.numbers' }] }),
    node('pause', 'wait', 560, { duration: '$order.body.pauze' }),
    node('answer', 'output', 840, { message: 'done' }),
  ],
  edges: [
    { id: 'e1', source: 'order', target: 'list' },
    { id: 'e2', source: 'list', target: 'pause' },
    { id: 'e3', source: 'pause', target: 'answer' },
  ],
};

async function failedRuns(person: Person): Promise<string[]> {
  const path = '/api/workflows/history/all?status=error';
  return (await call<{ items: { id: string }[] }>(person, 'GET', path)).items.map(({ id }) => id);
}

test('a failed run is looked through, fixed and continued on its page', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, PAUSES);
  await execute(person, workflow.id, { pause: 1, numbers: [4, 5, 6] });
  const breaks = await createWorkflow(person, BREAKS);
  await execute(person, breaks.id, { number: '7' });
  await execute(person, workflow.id, { pause: 1, numbers: [4, 5, 6] });
  const [last = '', other = '', first = ''] = await failedRuns(person);
  // The version that is published meanwhile is not the one that ran.
  const [order, list, pause] = PAUSES.nodes;
  await call(person, 'PUT', `/api/workflows/${workflow.id}`, {
    nodes: [order, list, pause],
    edges: PAUSES.edges.slice(0, 2),
  });

  const graph = page.getByRole('region', { name: 'Graph of the run' });
  const failure = page.getByRole('region', { name: 'Why pause failed' });
  await test.step('neighbouring failures are those of the list', async () => {
    await page.goto('/runs?status=error');
    await page.getByRole('link', { name: 'Slow answer' }).first().click();
    await expect(failure).toBeVisible();
    await expect(page.getByRole('button', { name: 'Next failure' })).toBeEnabled();
    await page.keyboard.press('j');
    await expect(page).toHaveURL(new RegExp(`/runs/${other}`));
    await expect(page.getByRole('region', { name: 'Why refuse failed' })).toBeVisible();
    await page.getByRole('button', { name: 'Previous failure' }).click();
    await expect(page).toHaveURL(new RegExp(`/runs/${last}`));
  });

  await test.step('else they are those of the workflow', async () => {
    await page.goto(`/runs/${last}`);
    await expect(page.getByRole('button', { name: 'Next failure' })).toBeEnabled();
    await page.keyboard.press('j');
    await expect(page).toHaveURL(new RegExp(`/runs/${first}`));
    await expect(page.getByRole('button', { name: 'Next failure' })).toBeDisabled();
  });

  await test.step('arrow keys step through the nodes that ran', async () => {
    await expect(graph.getByRole('group', { name: /^answer, / })).toBeVisible();
    // The list is a part of the one message that comes in, and all that the second node gives.
    await expect(graph.getByText('3 items')).toHaveCount(1);
    await expect(failure).toContainText('there was no “pauze”');
    await page.keyboard.press('ArrowLeft');
    const chosen = page.getByRole('region', { name: 'list', exact: true });
    await expect(chosen).toContainText('2 of 3');
    await expect(chosen.getByRole('tree', { name: 'Output of list' })).toContainText('lines');
    await expect(chosen.getByRole('tree', { name: 'Input of list' })).toContainText('pause');
    // Within the panel, up and down scroll.
    await page.getByRole('tabpanel').press('ArrowDown');
    await expect(chosen).toContainText('2 of 3');
    await graph.getByRole('group', { name: /^answer, / }).click();
    await expect(page.getByText('This run did not reach the node.')).toBeVisible();
    await page.keyboard.press('ArrowLeft');
    await expect(failure).toBeVisible();
    expect(await violations(page)).toEqual([]);
  });

  await test.step('a phone shows the graph above the panel', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const gap = async () => {
      const [above, below] = [await graph.boundingBox(), await failure.boundingBox()];
      return above && below ? below.y - (above.y + above.height) : Number.NaN;
    };
    await expect.poll(gap).toBeGreaterThanOrEqual(0);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  await test.step('the fix goes into the draft, and the run continues on it', async () => {
    await failure.getByRole('button', { name: 'Use pause' }).click();
    await expect(page.getByText('Changed in the draft')).toBeVisible();
    const { nodes } = await readWorkflow(person, workflow.id);
    expect(nodes).toContainEqual(
      expect.objectContaining({ id: 'pause', data: { label: 'pause', duration: '$order.body.pause' } }),
    );
    // The button above the graph does the same as the one of the failure.
    await expect(failure.getByRole('button', { name: 'Resume from here' })).toBeEnabled();
    await page.getByRole('button', { name: 'Resume from the failed node' }).click();
    await expect(page.getByRole('dialog')).toContainText('The draft with your change runs');
    await page.getByRole('dialog').getByRole('button', { name: 'Resume from the failed node' }).click();
    await expect(page).not.toHaveURL(new RegExp(first));
    await expect(page.getByRole('main').getByText('Success', { exact: true }).first()).toBeVisible();
  });

  await test.step('open on canvas shows the data of the run in the editor', async () => {
    await page.goto(`/runs/${first}`);
    await expect(failure).toBeVisible();
    await page.getByRole('link', { name: 'Open on canvas' }).click();
    await expect(page).toHaveURL(new RegExp(`/workflows/${workflow.id}\\?run=${first}&node=pause`));
    await expect(editor.node('pause').getByText('failed')).toBeVisible();
    await expect(failure).toBeVisible();
  });
});

test('a run that is under way says of a node that it has no result yet', async ({ person }) => {
  const { page } = person;
  const { id } = await createWorkflow(person, SLOW);
  await startSlow(person, id);
  await page.goto('/runs');
  await page.getByRole('link', { name: SLOW.name }).click();
  const graph = page.getByRole('region', { name: 'Graph of the run' });
  await graph.getByRole('group', { name: /^send, / }).click();
  const chosen = page.getByRole('region', { name: 'send', exact: true });
  await expect(chosen).toContainText('no result of this node yet');
  expect(await violations(page)).toEqual([]);
});
