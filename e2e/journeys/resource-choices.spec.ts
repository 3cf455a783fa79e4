// Leads through: editor/fields
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, readWorkflow, test } from './support/journey.ts';

const DOCUMENTS = ['Invoices', 'Inventory', 'People'].map((label) => ({ value: label.toLowerCase(), label }));

test('a list of the service is searched once typing pauses, and stays in view meanwhile', async ({
  person,
}) => {
  const { page, context } = person;
  const config = { api_key: 'key', server_url: 'https://grist.example.com' };
  const made = await context.request.post('/api/credentials', {
    data: { name: 'tables', type: 'grist', config },
  });
  const { id: credentialId } = (await made.json()) as { id: string };
  const searches: string[] = [];
  let answer = Promise.resolve();
  await page.route('**/api/credentials/*/choices', async (route) => {
    const { search } = route.request().postDataJSON() as { search: string };
    searches.push(search);
    await answer;
    const items = DOCUMENTS.filter(({ value }) => value.includes(search));
    await route.fulfill({ json: { items, next_cursor: null } });
  });
  const workflow = await createWorkflow(person, {
    name: 'Choices',
    nodes: [{ id: 'g', type: 'grist', data: { label: 'table', credentialId }, position: { x: 0, y: 0 } }],
    edges: [],
  });
  const editor = locateEditor(page);
  await editor.open(workflow.id);
  await editor.choose('table');
  await editor.panel.getByRole('button', { name: 'Choose', exact: true }).first().click();
  const list = page.getByRole('listbox', { name: 'Document' });
  await expect(list.getByRole('option')).toHaveCount(DOCUMENTS.length);

  let release = () => {};
  answer = new Promise((resolve) => {
    release = resolve;
  });
  // In one moment: between keys that a busy browser gets late, typing would seem to pause.
  await page.getByRole('combobox', { name: 'Document', exact: true }).evaluate((input: HTMLInputElement) => {
    input.focus();
    for (const letter of 'inv') document.execCommand('insertText', false, letter);
  });
  await expect.poll(() => searches).toEqual(['', 'inv']);
  await expect(list).toHaveAttribute('aria-busy', 'true');
  await expect(list.getByRole('option')).toHaveCount(DOCUMENTS.length);
  release();
  await expect(list.getByRole('option')).toHaveText(['Invoices', 'Inventory']);
  await page.keyboard.press('Enter');
  await expect(editor.panel.getByRole('textbox', { name: 'Document', exact: true })).toHaveText('invoices');

  await test.step('the credential is cleared with the keyboard', async () => {
    const credential = editor.panel.getByRole('combobox', { name: 'Credential' });
    await expect(credential).toHaveText('tables');
    await credential.focus();
    await page.keyboard.press('Tab');
    await expect(editor.panel.getByRole('button', { name: 'Use no credential' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(credential).toHaveText('Choose a credential');
    await expect(credential).toBeFocused();
    await expect(editor.panel.getByRole('button', { name: 'Use no credential' })).toBeHidden();
    await expect
      .poll(async () => JSON.stringify(await readWorkflow(person, workflow.id)))
      .not.toContain(credentialId);
  });
});
