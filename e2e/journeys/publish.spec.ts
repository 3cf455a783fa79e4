// Leads through: editor/publish
import type { Page } from '@playwright/test';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, type Person, test } from './support/journey.ts';
import { call } from './support/seed.ts';

const GREETER = {
  name: 'Greeter',
  nodes: [
    {
      id: 'in',
      type: 'textInput',
      position: { x: 0, y: 0 },
      data: { label: 'start', inputFields: [{ key: 'text' }] },
    },
    { id: 'out', type: 'output', position: { x: 300, y: 0 }, data: { label: 'reply', message: 'first' } },
  ],
  edges: [{ id: 'e', source: 'in', target: 'out' }],
};

/** Milliseconds between keys of a fast typist. */
const KEY_MS = 70;

const locateHeader = (page: Page) => page.getByRole('region', { name: 'Workflow', exact: true });

/** The response to a caller: the text, or the status of the refusal. */
async function called({ context }: Person, id: string): Promise<unknown> {
  const answer = await context.request.post(`/api/workflows/${id}/execute`, { data: { text: 'x' } });
  if (!answer.ok()) return answer.status();
  return ((await answer.json()) as { outputs: { reply: { result: unknown } } }).outputs.reply.result;
}

async function retype(page: Page, text: string): Promise<void> {
  const editor = locateEditor(page);
  await editor.choose('reply');
  await editor.panel.getByRole('textbox', { name: 'Result', exact: true }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.type(text, { delay: KEY_MS });
  await expect(editor.panel.getByRole('textbox', { name: 'Result', exact: true })).toHaveText(text);
}

test('trying out is not deploying: drafts save by themselves, publishing makes them live', async ({
  person,
}) => {
  test.slow();
  const { page } = person;
  const editor = locateEditor(page);
  const { id } = await createWorkflow(person, GREETER, { draft: true });
  const header = locateHeader(page);
  const publish = header.getByRole('button', { name: 'Publish' });
  const dialog = page.getByRole('dialog', { name: 'Publish' });
  await editor.open(id);

  await test.step('a new workflow runs in the editor alone', async () => {
    await expect(header.getByText('Not published')).toBeVisible();
    expect(await called(person, id)).toBe(409);
    await editor.run();
    await expect(editor.runPanel.getByText('first').first()).toBeVisible();
  });

  await test.step('publishing with a note, by keyboard alone', async () => {
    await editor.canvas.focus();
    await page.keyboard.press('Shift+P');
    await expect(dialog).toBeVisible();
    await expect(dialog.getByText('2 added')).toBeVisible();
    await expect(dialog.getByRole('textbox', { name: /^Note/ })).toBeFocused();
    await page.keyboard.type('Greets with first', { delay: KEY_MS });
    await expect(dialog.getByRole('textbox', { name: /^Note/ })).toHaveValue('Greets with first');
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect(dialog).toBeHidden();
    await expect(header.getByText('Version 1 is live')).toBeVisible();
    expect(await called(person, id)).toBe('first');
  });

  await test.step('an edit is saved by itself and stays a draft', async () => {
    await retype(page, 'second');
    await expect(header.getByText('Unpublished changes')).toBeVisible();
    await editor.isSaved();
    await editor.run();
    await expect(editor.runPanel.getByText('second').first()).toBeVisible();
    expect(await called(person, id)).toBe('first');
  });

  await test.step('home and runs say so', async () => {
    await header.getByRole('link', { name: 'Back to workflows' }).click();
    await expect(page.getByRole('article').getByText('Unpublished changes')).toBeVisible();
    await page.goto('/runs');
    const rows = page.getByRole('row');
    await expect(rows.filter({ hasText: 'Draft' })).toHaveCount(2);
    await expect(rows.filter({ hasText: 'v1' })).toHaveCount(2);
    await rows.filter({ hasText: 'Draft' }).first().getByRole('link').click();
    await expect(page.getByRole('definition').filter({ hasText: 'Draft' })).toBeVisible();
    await editor.open(id);
  });

  await test.step('the dialog shows what changes, and Tab leads to its button', async () => {
    await publish.click();
    await expect(dialog.getByText('1 changed')).toBeVisible();
    await expect(dialog.getByRole('row', { name: /reply\.message/ })).toContainText('second');
    const drawn = dialog.locator('.react-flow__node[data-id="out"]');
    await expect(drawn).toBeInViewport({ ratio: 0.99 });
    const { width, height } = page.viewportSize() ?? { width: 1280, height: 800 };
    await page.setViewportSize({ width: 420, height });
    await expect(drawn).toBeInViewport({ ratio: 0.99 });
    await page.setViewportSize({ width, height });
    const confirm = dialog.getByRole('button', { name: /^Publish/ });
    for (let tabs = 0; tabs < 20 && !(await confirm.evaluate((it) => it === document.activeElement)); tabs++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(header.getByText('Version 2 is live')).toBeVisible();
    expect(await called(person, id)).toBe('second');
  });

  await test.step('the switch stops calls, and not the editor', async () => {
    const active = header.getByRole('switch', { name: 'Active' });
    await active.press('Space');
    await expect(active).not.toBeChecked();
    await expect.poll(() => called(person, id)).toBe(409);
    await editor.run();
    await expect(editor.runPanel.getByText('second').first()).toBeVisible();
    await active.press('Space');
    await expect(active).toBeChecked();
    await expect.poll(() => called(person, id)).toBe('second');
  });

  await test.step('an older version goes into the draft, and can be given up again', async () => {
    await header.getByRole('button', { name: 'Versions' }).click();
    const versions = page.getByRole('dialog', { name: 'Versions' });
    await versions.getByRole('button', { name: /^Version 1.*Greets with first/ }).click();
    await versions.getByRole('button', { name: 'Restore version 1' }).click();
    await expect(header.getByText('Unpublished changes')).toBeVisible();
    await editor.isSaved();
    expect(await called(person, id)).toBe('second');
    await editor.choose('reply');
    const result = editor.panel.getByRole('textbox', { name: 'Result', exact: true });
    await expect(result).toHaveText('first');
    await publish.click();
    await dialog.getByRole('button', { name: 'Discard changes' }).click();
    await expect(header.getByText('Version 2 is live')).toBeVisible();
    await expect(result).toHaveText('second');
  });
});

test('publishing does not overwrite what was saved elsewhere meanwhile', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const { id } = await createWorkflow(person, GREETER);
  await editor.open(id);
  await retype(page, 'mine');
  await editor.isSaved();
  await locateHeader(page).getByRole('button', { name: 'Publish' }).click();
  const dialog = page.getByRole('dialog', { name: 'Publish' });
  await expect(dialog.getByText('1 changed')).toBeVisible();
  const nodes = GREETER.nodes.map((node) =>
    node.id === 'out' ? { ...node, data: { ...node.data, message: 'theirs' } } : node,
  );
  await call(person, 'PUT', `/api/workflows/${id}?draft=true`, { nodes, edges: GREETER.edges });
  await dialog.getByRole('button', { name: /^Publish/ }).click();
  await expect(dialog.getByRole('alert')).toContainText('You saved this workflow somewhere else');
  await expect(dialog.getByRole('row', { name: /reply\.message/ })).toContainText('theirs');
  expect(await called(person, id)).toBe('first');
  await dialog.getByRole('button', { name: /^Publish/ }).click();
  await expect(dialog).toBeHidden();
  expect(await called(person, id)).toBe('theirs');
});

test('the dialog lists problems of the draft without blocking publishing', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const empty = { id: 'h', type: 'http', position: { x: 300, y: 200 }, data: { label: 'ask', curl: '' } };
  const broken = { ...GREETER, nodes: [...GREETER.nodes, empty] };
  const { id } = await createWorkflow(person, broken, { draft: true });
  await editor.open(id);
  await locateHeader(page).getByRole('button', { name: 'Publish' }).click();
  const dialog = page.getByRole('dialog', { name: 'Publish' });
  await expect(dialog.getByRole('region', { name: 'Checks' })).toContainText('ask: Enter the address');
  await dialog.getByRole('button', { name: 'Publish anyway' }).click();
  await expect(locateHeader(page).getByText('Version 1 is live')).toBeVisible();
});
