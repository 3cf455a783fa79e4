// Leads through: editor/detail
import type { Locator, Page } from '@playwright/test';
import { violations } from './support/axe.ts';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, readWorkflow, test } from './support/journey.ts';
import { ORDERS } from './support/orders.ts';

/** The middle of what is shown of an element. */
async function measureMiddle(target: Locator): Promise<{ x: number; y: number }> {
  const box = await target.boundingBox();
  if (!box) throw new Error('the element is not shown');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Drags as a hand does: over half a second, with a pause before it lets go. */
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  await from.scrollIntoViewIfNeeded();
  const start = await measureMiddle(from);
  const end = await measureMiddle(to);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  for (let step = 1; step <= 20; step += 1) {
    await page.mouse.move(
      start.x + ((end.x - start.x) * step) / 20,
      start.y + ((end.y - start.y) * step) / 20,
    );
    await page.waitForTimeout(25);
  }
  await page.waitForTimeout(80);
  await page.mouse.up();
}

test('a node is filled in from the outputs of its parents, and the next one after it', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, ORDERS);
  await editor.open(workflow.id);
  const detail = (label: string) => page.getByRole('dialog', { name: label, exact: true });
  const priced = detail('priced');
  const input = priced.getByRole('tree', { name: 'Output of order' });

  await test.step('a double click opens it; what has not run shows an example', async () => {
    await editor.node('priced').dblclick();
    await expect(input.getByRole('treeitem', { name: /^customer/ }).first()).toBeVisible();
    await expect(priced.getByText('Example')).toBeVisible();
    await expect(priced.getByRole('textbox', { name: 'Value 1' })).toBeFocused();
  });

  await test.step('Escape is for the field first', async () => {
    const label = priced.getByRole('textbox', { name: 'Label' });
    await label.fill('prices');
    await label.press('Escape');
    await expect(label).toHaveValue('priced');
    const search = priced.getByRole('textbox', { name: 'Find in the input' });
    await search.fill('amount');
    await search.press('Escape');
    await expect(search).toHaveValue('');
    await expect(priced).toBeVisible();
  });

  await test.step('it runs from here, and each field shows what it resolves to', async () => {
    // Also from the tree of inputs, where Enter alone would insert a value.
    await input.getByRole('treeitem').first().focus();
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect(priced.getByRole('region', { name: 'Output of priced' })).toContainText('total:48');
    await expect(priced.getByText('Example')).toBeHidden();
    await expect(priced.getByRole('status').filter({ hasText: 'Ada' })).toBeVisible();
  });

  await test.step('a dragged key becomes a reference in the form that fits', async () => {
    const field = priced.getByRole('textbox', { name: 'Value 1' });
    await field.click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('$order.bo', { delay: 20 });
    await expect(priced.getByRole('option', { name: /^body/ })).toBeVisible();
    // The first Escape is for the completions.
    await page.keyboard.press('Escape');
    await expect(priced.getByRole('option', { name: /^body/ })).toBeHidden();
    await expect(field).toBeFocused();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Dear ', { delay: 20 });
    await drag(page, input.getByRole('treeitem', { name: /^customer/ }).last(), field);
    await expect(field).toHaveText(/^Dear \$order(\.body)?\.customer$/);
    await expect(priced.getByRole('status').filter({ hasText: 'Dear Ada' })).toBeVisible();
  });

  await test.step('Enter on a key puts it in place of what is chosen', async () => {
    const field = priced.getByRole('textbox', { name: 'Value 2' });
    await field.click();
    await page.keyboard.press('ControlOrMeta+a');
    await input
      .getByRole('treeitem', { name: /^amount/ })
      .last()
      .focus();
    await page.keyboard.press('Enter');
    await expect(field).toHaveText(/^\$order(\.body)?\.amount$/);
    await expect(field).toBeFocused();
  });

  await test.step('keys lead on to the next node and back', async () => {
    await page.keyboard.press('Alt+PageDown');
    await expect(detail('isLarge')).toBeVisible();
    await expect(detail('isLarge').getByRole('tree', { name: 'Output of priced' })).toBeVisible();
    await page.keyboard.press('Alt+PageUp');
    await expect(priced).toBeVisible();
    await priced.getByRole('button', { name: 'Next node: isLarge' }).click();
    await expect(detail('isLarge')).toBeVisible();
    expect(await violations(page), 'node').toEqual([]);
    // A dialog above has its own keys.
    await detail('isLarge').getByRole('button', { name: 'How it works' }).click();
    const guide = page.getByRole('dialog', { name: 'Condition' });
    await guide.press('Alt+PageUp');
    await page.keyboard.press('Escape');
    await expect(guide).toBeHidden();
    await expect(detail('isLarge')).toBeVisible();
  });

  await test.step('Escape gives the focus back to the node, and Enter opens it again', async () => {
    await page.keyboard.press('Escape');
    await expect(detail('isLarge')).toBeHidden();
    await expect(editor.node('isLarge')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(detail('isLarge')).toBeVisible();
    await page.keyboard.press('Escape');
    await editor.isSaved();
    const { nodes } = await readWorkflow(person, workflow.id);
    expect(JSON.stringify(nodes)).toMatch(/"value":"\$order(\.body)?\.amount"/);
  });

  await test.step('a default of an input field is read as it is typed', async () => {
    await editor.node('order').dblclick();
    const order = detail('order');
    await order.getByRole('combobox', { name: 'Type 2' }).click();
    await page.getByRole('option', { name: 'Number' }).click();
    const given = order.getByRole('textbox', { name: 'Default 2' });
    await given.fill('');
    await given.pressSequentially('1.05');
    await expect(given).toHaveValue('1.05');
    await page.keyboard.press('Escape');
    await editor.isSaved();
    const { nodes } = await readWorkflow(person, workflow.id);
    expect(JSON.stringify(nodes)).toContain('"defaultValue":1.05');
  });

  await test.step('on a phone the panes are tabs, and a value is still put into the field', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await editor.node('priced').click();
    await page.keyboard.press('Enter');
    const field = priced.getByRole('textbox', { name: 'Value 1' });
    await field.click();
    await page.keyboard.press('ControlOrMeta+a');
    await priced.getByRole('tab', { name: 'Input' }).click();
    await input
      .getByRole('treeitem', { name: /^amount/ })
      .last()
      .dblclick();
    await expect(field).toHaveText(/amount$/);
    await expect(field).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(priced).toBeHidden();
  });

  await test.step('Enter opens a note in its panel', async () => {
    await page.getByRole('button', { name: 'Collapse the panel' }).click();
    await editor.node('note').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Collapse the panel' })).toBeVisible();
    await expect(editor.panel.getByRole('textbox', { name: 'Title' })).toBeVisible();
  });
});
