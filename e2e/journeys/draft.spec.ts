// Leads through: features/document, editor/document, editor/session
import type { Page } from '@playwright/test';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, readWorkflow, test } from './support/journey.ts';

const locateState = (page: Page) =>
  page.getByRole('region', { name: 'Workflow', exact: true }).getByRole('status');
async function nameKeptDraft(page: Page, id: string): Promise<string> {
  const me = (await (await page.request.get('/api/auth/me')).json()) as { id: string };
  return `millrace.draft.${me.id}.${id}`;
}
const readKeptDraft = async (page: Page, id: string) =>
  page.evaluate((key) => localStorage.getItem(key), await nameKeptDraft(page, id));

/** Refuses to save while the session of the page says so; a route would miss what a page sends as it closes. */
function refuseSaves(): void {
  const send = window.fetch;
  window.fetch = (input, init) =>
    init?.method === 'PUT' && sessionStorage.getItem('offline') !== null
      ? Promise.reject(new TypeError('Failed to fetch'))
      : send(input, init);
}

/** Nothing can be saved until the returned function is called. */
async function withoutSaving(page: Page): Promise<() => Promise<void>> {
  await page.addInitScript(refuseSaves);
  await page.evaluate(refuseSaves);
  await page.evaluate(() => sessionStorage.setItem('offline', 'true'));
  return () => page.evaluate(() => sessionStorage.removeItem('offline'));
}

test('work is saved by itself, and is there in another browser', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, { name: 'Autosave' });
  await editor.open(workflow.id);
  await editor.add('Text Input');
  await expect(locateState(page)).toHaveText('Saved');
  await expect.poll(() => readKeptDraft(page, workflow.id)).toBeNull();
  await expect
    .poll(async () => JSON.stringify((await readWorkflow(person, workflow.id))['nodes']))
    .toContain('textInput');

  const other = await person.context.newPage();
  await locateEditor(other).open(workflow.id);
  await expect(locateEditor(other).node('textInput')).toBeVisible();
});

test('what cannot be saved is tried again, survives a reload, and can be thrown away', async ({ person }) => {
  const { page } = person;
  page.on('dialog', (dialog) => void dialog.accept());
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, { name: 'Draft' });
  await editor.open(workflow.id);

  let back = await withoutSaving(page);
  await editor.add('Text Input');
  await expect(locateState(page)).toHaveText('Not saved');
  await back();
  await expect(locateState(page)).toHaveText('Saved', { timeout: 15_000 });

  back = await withoutSaving(page);
  await editor.add('Set');
  await expect(locateState(page)).toHaveText('Not saved');
  await expect.poll(() => readKeptDraft(page, workflow.id)).toContain('mappings');
  await page.reload();
  await expect(page.getByText('Your unsaved work from last time is on the canvas.')).toBeVisible();
  await expect(editor.node('set')).toBeVisible();
  await page.getByRole('button', { name: 'Discard unsaved changes' }).click();
  await expect(editor.node('set')).toBeHidden();
  await expect(editor.node('textInput')).toBeVisible();
  await back();
});

test('work that was saved as the page closed is not called unsaved', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, { name: 'Late answer' });
  await editor.open(workflow.id);
  await editor.add('Text Input');
  await expect(locateState(page)).toHaveText('Saved');
  const { nodes, edges, updated_at } = await readWorkflow(person, workflow.id);
  const kept = {
    document: { nodes, edges },
    base: { nodes: [], edges: [] },
    base_updated_at: new Date(Date.parse(String(updated_at)) - 1000).toISOString(),
    saved_at: Date.now(),
  };
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [
    await nameKeptDraft(page, workflow.id),
    JSON.stringify(kept),
  ] as const);
  await page.reload();
  await expect(editor.node('textInput')).toBeVisible();
  await expect(page.getByText('Your unsaved work from last time is on the canvas.')).toBeHidden();
  await expect.poll(() => readKeptDraft(page, workflow.id)).toBeNull();
});

test('leaving saves first, and asks when that fails', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, { name: 'Leaving' });
  await editor.open(workflow.id);
  const home = page.getByRole('link', { name: 'Back to workflows' });
  const start = page.getByRole('heading', { name: 'Workflows', level: 1 });
  await editor.add('Text Input');
  await home.click();
  await expect(start).toBeVisible();
  expect(JSON.stringify((await readWorkflow(person, workflow.id))['nodes'])).toContain('textInput');

  await editor.open(workflow.id);
  await withoutSaving(page);
  await editor.add('Set');
  const asked = page.getByRole('dialog', { name: 'Leave with unsaved changes?' });
  await home.click();
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await expect(editor.node('set')).toBeVisible();
  await home.click();
  await asked.getByRole('button', { name: 'Leave', exact: true }).click();
  await expect(start).toBeVisible();
});
