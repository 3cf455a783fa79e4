// Leads through: editor/fields/memory
import { violations } from './support/axe.ts';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, test } from './support/journey.ts';

const agent = (id: string, x: number) => ({
  id,
  type: 'agent',
  data: { label: id, persistentMemoryEnabled: true },
  position: { x, y: 0 },
});

test('a person reads and changes what an agent remembers, by keyboard, and shares it', async ({ person }) => {
  const { page } = person;
  const workflow = await createWorkflow(person, {
    name: 'Front desk',
    nodes: [agent('desk', 0), agent('helper', 300)],
    edges: [],
  });
  const editor = locateEditor(page);
  await editor.open(workflow.id);
  await editor.choose('desk');
  const dialog = page.getByRole('dialog', { name: 'Memory of desk' });
  const press = (key: string) => page.keyboard.press(key);
  const type = (text: string) => page.keyboard.type(text, { delay: 20 });

  await test.step('an empty memory says what to do', async () => {
    await editor.panel.getByRole('button', { name: 'Open memory' }).click();
    await expect(dialog.getByRole('heading', { name: 'Nothing remembered yet' })).toBeVisible();
    expect(await violations(page)).toEqual([]);
  });

  await test.step('an entity is added', async () => {
    await dialog.getByRole('button', { name: 'Add entity' }).focus();
    await press('Enter');
    const form = page.getByRole('dialog', { name: 'Add entity' });
    await expect(form.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused();
    await press('Enter');
    await expect(form.getByRole('textbox', { name: 'Name', exact: true })).toHaveAttribute('aria-invalid');
    await type('Ada');
    await press('Tab');
    await type('person');
    await form.getByRole('button', { name: 'Add row' }).focus();
    await press('Enter');
    await expect(form.getByRole('textbox', { name: 'Name of property 1' })).toBeFocused();
    await type('city');
    await press('Tab');
    await type('Bern');
    expect(await violations(page)).toEqual([]);
    await press('Enter');
    await expect(form).toBeHidden();
    await expect(dialog.getByRole('listitem').filter({ hasText: 'Ada' })).toContainText(
      'person · city: Bern',
    );
  });

  await test.step('a second one and their relationship', async () => {
    await dialog.getByRole('button', { name: 'Add entity' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Acme');
    await page.getByRole('textbox', { name: 'Type' }).fill('company');
    await press('Enter');
    await dialog.getByRole('button', { name: 'Add relationship' }).click();
    const form = page.getByRole('dialog', { name: 'Add relationship' });
    await form.getByRole('combobox', { name: 'From' }).fill('Ada');
    await form.getByRole('textbox', { name: 'Relationship' }).fill('works_at');
    await form.getByRole('combobox', { name: 'To' }).fill('Acme Inc');
    await press('Enter');
    await expect(form.getByRole('alert')).toContainText('is no entity of this memory');
    await form.getByRole('combobox', { name: 'To' }).fill('Acme');
    await press('Enter');
    await expect(dialog.getByText('Ada works_at Acme')).toBeVisible();
    await expect(
      dialog.getByRole('img', { name: 'Picture of 2 entities and one relationship' }),
    ).toBeVisible();
    expect(await violations(page)).toEqual([]);
  });

  await test.step('an entity is changed, found and deleted', async () => {
    await dialog.getByRole('button', { name: 'Edit Acme' }).focus();
    await press('Enter');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Acme Ltd');
    await press('Enter');
    await expect(dialog.getByText('Ada works_at Acme Ltd')).toBeVisible();
    await dialog.getByRole('searchbox', { name: 'Find entities' }).fill('bern');
    await expect(dialog.getByRole('button', { name: 'Edit Acme Ltd' })).toBeHidden();
    await dialog.getByRole('button', { name: 'Delete Ada', exact: true }).focus();
    await press('Enter');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('searchbox', { name: 'Find entities' }).fill('');
    await expect(dialog.getByRole('button', { name: 'Edit Acme Ltd' })).toBeVisible();
    await expect(dialog.getByText('No relationships yet.')).toBeVisible();
    await press('Escape');
    await expect(dialog).toBeHidden();
  });

  await test.step('another agent may use it', async () => {
    const shares = editor.panel.getByRole('group', { name: 'Agents that may use this memory' });
    await shares.getByRole('button', { name: 'Add row' }).click();
    await shares.getByRole('combobox', { name: 'Agent 1' }).click();
    await page.getByRole('option', { name: 'helper' }).click();
    await shares.getByRole('combobox', { name: 'Permission 1' }).click();
    await page.getByRole('option', { name: 'Read and add to' }).click();
    await editor.isSaved();
    await page.reload();
    await editor.choose('desk');
    await expect(shares.getByRole('combobox', { name: 'Agent 1' })).toContainText('helper');
    await expect(shares.getByRole('combobox', { name: 'Permission 1' })).toContainText('Read and add to');
  });

  await test.step('it is readable in dark colours', async () => {
    await editor.panel.getByRole('button', { name: 'Open memory' }).click();
    await expect(dialog.getByRole('img')).toBeVisible();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, { within: '[role="dialog"]' })).toEqual([]);
  });
});
