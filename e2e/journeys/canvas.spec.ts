// Leads through: features/canvas-view, editor/canvas
import { violations } from './support/axe.ts';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, type Person, readWorkflow, test } from './support/journey.ts';
import { ORDERS } from './support/orders.ts';

interface Stored {
  readonly nodes: readonly { id: string; type: string; position: { x: number; y: number } }[];
  readonly edges: readonly { source: string; target: string; sourceHandle?: string }[];
}

const stored = async (person: Person, id: string): Promise<Stored> =>
  (await readWorkflow(person, id)) as unknown as Stored;

const OPEN = {
  ...ORDERS,
  nodes: ORDERS.nodes.filter(({ id }) => id !== 'big'),
  edges: ORDERS.edges.filter(({ target }) => target !== 'big'),
};

test('open outputs add and connect the next node, with the pointer and with keys alone', async ({
  person,
}) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, OPEN);
  await editor.open(workflow.id);
  const search = page.getByRole('dialog', { name: 'Search nodes' });
  const plus = (name: string) => editor.canvas.getByRole('button', { name, exact: true });

  await test.step('only outputs that lead nowhere offer it, and edges are announced by names', async () => {
    await expect(plus('Add a node after isLarge, output true')).toBeVisible();
    await expect(plus('Add a node after isLarge, output false')).toBeHidden();
    await expect(plus('Add a node after order')).toBeHidden();
    await expect(editor.canvas.getByLabel('From order to priced', { exact: true })).toBeAttached();
    expect(await violations(page)).toEqual([]);
  });

  await test.step('with the pointer', async () => {
    await plus('Add a node after isLarge, output true').click();
    await expect(search.getByRole('combobox')).toBeFocused();
    await page.keyboard.type('wait', { delay: 20 });
    await expect(search.getByRole('option', { name: /^Wait/, selected: true })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(search).toBeHidden();
    await expect(editor.node('wait')).toBeFocused();
    await expect(plus('Add a node after isLarge, output true')).toBeHidden();
  });

  await test.step('with keys alone, from the node that was added', async () => {
    await page.keyboard.press('Tab');
    await expect(plus('Add a node after wait')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(search.getByRole('combobox')).toBeFocused();
    await page.keyboard.type('set', { delay: 20 });
    await expect(search.getByRole('option', { name: /^Set/, selected: true })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(editor.node('set')).toBeFocused();
    await editor.save();
    const { nodes, edges } = await stored(person, workflow.id);
    const [wait, added] = nodes.slice(-2);
    expect([wait?.type, added?.type]).toEqual(['wait', 'set']);
    expect(edges).toContainEqual(
      expect.objectContaining({ source: 'if', sourceHandle: 'true', target: wait?.id }),
    );
    expect(edges).toContainEqual(expect.objectContaining({ source: wait?.id, target: added?.id }));
  });

  await test.step('arrow keys move it, and one step of undo takes all of that back', async () => {
    const before = (await stored(person, workflow.id)).nodes.at(-1)?.position;
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await editor.save();
    const after = (await stored(person, workflow.id)).nodes.at(-1)?.position;
    expect(after?.x).toBeGreaterThan(before?.x ?? 0);
    expect(after?.y).toBeGreaterThan(before?.y ?? 0);
    await page.keyboard.press('ControlOrMeta+z');
    await editor.save();
    expect((await stored(person, workflow.id)).nodes.at(-1)?.position).toEqual(before);
  });

  await test.step('names of outputs and ways to add stay while labels can be read', async () => {
    const label = editor.node('isLarge').getByText('true', { exact: true });
    const out = page.getByRole('button', { name: 'Zoom out' });
    await out.click();
    await expect(label).toBeVisible();
    await expect(plus('Add a node after set')).toBeVisible();
    for (let step = 0; step < 10; step += 1) await out.click();
    await expect(label).toBeHidden();
    await expect(plus('Add a node after set')).toBeHidden();
  });
});

test('a label with spaces becomes one that expressions can read, and the reason is shown', async ({
  person,
}) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, ORDERS);
  await editor.open(workflow.id);
  await editor.choose('order');
  const label = editor.panel.getByRole('textbox', { name: 'Label', exact: true });
  await label.click();
  await page.keyboard.press('ControlOrMeta+a');
  await label.pressSequentially('new order');
  await page.keyboard.press('Enter');
  await expect(label).toHaveValue('newOrder');
  await expect(page.getByText('“new order” cannot be a label; it is “newOrder” now.').first()).toBeVisible();
  await expect(editor.node('newOrder')).toBeVisible();
});

test('a note keeps its text when it is left by Escape', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, ORDERS);
  await editor.open(workflow.id);
  await editor.node('note').dblclick();
  const text = editor.canvas.getByRole('textbox', { name: 'Text of the note' });
  await expect(text).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.type(' and Grace', { delay: 20 });
  await page.keyboard.press('Escape');
  await expect(text).toBeHidden();
  await expect(editor.node('note')).toContainText('checked by Ada and Grace');
});

test('a connection that was clicked is deleted by key, and a closed dialog gives the focus back', async ({
  person,
}) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, ORDERS);
  await editor.open(workflow.id);
  const connections = page.locator('.react-flow__edge');
  await expect(connections).toHaveCount(ORDERS.edges.length);
  // Its middle has a button.
  const { x, y } = await connections
    .first()
    .locator('path')
    .first()
    .evaluate((path) => {
      if (!(path instanceof SVGPathElement)) throw new Error('the connection has no line');
      const point = path.getPointAtLength(path.getTotalLength() / 5);
      const { x, y } = point.matrixTransform(path.getScreenCTM() ?? undefined);
      return { x, y };
    });
  await page.mouse.click(x, y);
  await page.keyboard.press('Delete');
  await expect(connections).toHaveCount(ORDERS.edges.length - 1);
  await editor.isSaved();
  expect((await stored(person, workflow.id)).edges).toHaveLength(ORDERS.edges.length - 1);

  const endpoint = page.getByRole('button', { name: 'Endpoint' });
  await endpoint.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(endpoint).toBeFocused();
});

test('Shift and a click select more nodes, and the same again takes one out', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, ORDERS);
  await editor.open(workflow.id);
  const node = (label: string) =>
    editor.canvas.locator('.react-flow__node').filter({ hasText: label }).first();
  const selected = editor.canvas.locator('.react-flow__node.selected');
  await node('order').click();
  await node('priced').click({ modifiers: ['Shift'] });
  await expect(selected).toHaveCount(2);
  await expect(page.getByText('2 nodes selected')).toBeVisible();
  // A hand moves a little between press and release.
  const box = await node('priced').boundingBox();
  if (!box) throw new Error('the node is not drawn');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.keyboard.down('Shift');
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 1, box.y + box.height / 2 + 1);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(selected).toHaveCount(1);
  await expect(node('order')).toHaveClass(/selected/);
});
