// Leads through: features/canvas-view, editor/canvas
import type { Page } from '@playwright/test';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, readWorkflow, test } from './support/journey.ts';

/** Moves the focus with Tab until it is on the named control, as a user without a mouse does. */
async function tabTo(page: Page, role: string, name: RegExp): Promise<void> {
  const target = page.getByRole(role as 'button', { name }).first();
  await expect(target).toBeAttached();
  for (let step = 0; step < 120; step += 1) {
    if (await target.evaluate((element) => element.matches(':focus'))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never reaches ${role} ${String(name)}`);
}

async function pick(page: Page, name: RegExp, option: string): Promise<void> {
  await tabTo(page, 'combobox', name);
  await page.keyboard.press('Enter');
  const choice = page.getByRole('option', { name: option, exact: true });
  await expect(choice).toBeVisible();
  // The list takes the focus after it is shown; keys pressed before that go nowhere.
  const focused = page.locator('[role="option"]:focus');
  await expect(focused).toHaveCount(1);
  await page.keyboard.press('Home');
  for (let before = await focused.textContent(); before !== option; before = await focused.textContent()) {
    await page.keyboard.press('ArrowDown');
    await expect(focused).not.toHaveText(before ?? '');
  }
  await expect(choice).toBeFocused();
  await page.keyboard.press('Enter');
}

test('a workflow is drawn, connected and run by keyboard alone', async ({ person }) => {
  // Hundreds of keys, each of which waits for the page.
  test.slow();
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, { name: 'By keyboard' });
  await editor.open(workflow.id);

  await page.keyboard.press('o');
  await expect(page.getByRole('region', { name: 'Outline' })).toBeVisible();

  for (const title of ['Text Input', 'Set', 'Output']) {
    await pick(page, /^Node type$/, title);
    await tabTo(page, 'button', /^Add$/);
    await page.keyboard.press('Enter');
  }
  const outline = page.getByRole('region', { name: 'Outline' });
  await expect(outline.getByText('output → set')).toBeVisible();
  await expect(outline.getByText('output → output')).toBeVisible();

  await tabTo(page, 'button', /^output, Output$/);
  await page.keyboard.press('Enter');
  await expect(editor.panel).toBeVisible();
  await tabTo(page, 'textbox', /^Result$/);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText('$set.text');
  await page.keyboard.press('Escape');

  await page.keyboard.press('ControlOrMeta+s');
  await editor.isSaved();
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(editor.runPanel.getByText('Success', { exact: true })).toBeVisible();
  const { nodes, edges } = await readWorkflow(person, workflow.id);
  expect([nodes, edges].map((list) => (list as unknown[]).length)).toEqual([3, 2]);
});

test('the node types of the palette are one stop of Tab; arrow keys choose and Enter adds', async ({
  person,
}) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, { name: 'Palette by keyboard' });
  await editor.open(workflow.id);

  await tabTo(page, 'button', /^Hide node types$/);
  await page.keyboard.press('Tab');
  await expect(editor.palette.getByRole('button', { name: /^Text Input/ })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(editor.palette.getByRole('button', { name: /^Schedule/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await editor.isSaved();
  const { nodes } = await readWorkflow(person, workflow.id);
  expect(nodes).toMatchObject([{ type: 'cron' }]);

  await tabTo(page, 'button', /^Hide node types$/);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(editor.palette.locator(':focus')).toHaveCount(0);
});
