// Leads through: features/run-view, features/workflow, features/ran-node, editor/run
// cspell:ignore persn
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, test } from './support/journey.ts';

/** Two texts reference fields that the input does not have. */
const GREETING = {
  name: 'Greeting',
  nodes: [
    {
      id: 'start',
      type: 'textInput',
      position: { x: 0, y: 0 },
      data: { label: 'start', inputFields: [{ key: 'person', defaultValue: 'Ada' }] },
    },
    {
      id: 'say',
      type: 'output',
      position: { x: 300, y: 0 },
      data: { label: 'say', message: 'Dear $start.body.persn, you ordered $start.body.item' },
    },
  ],
  edges: [{ id: 'e', source: 'start', target: 'say' }],
};

test('unresolved references are shown on the node, in the run and in history, and fail the node when strict', async ({
  person,
}) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, GREETING);
  await editor.open(workflow.id);

  await test.step('the run names them, and the node is amber', async () => {
    await editor.run();
    await expect(editor.runPanel.getByText('Finished with 2 unresolved references')).toBeVisible();
    await expect(editor.node('say').getByText('2 unresolved references')).toBeVisible();
    await editor.runPanel.getByRole('button', { name: 'say', exact: true }).click();
    const list = editor.panel.getByRole('status').filter({ hasText: 'unresolved' });
    await expect(list.getByText('$start.body.persn', { exact: true })).toBeVisible();
    await expect(list.getByText('$start.body.item', { exact: true })).toBeVisible();
  });

  await test.step('with the setting for strict references the run fails and says where', async () => {
    await page.getByRole('button', { name: 'More' }).first().click();
    await page.getByRole('menuitem', { name: 'Settings…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Workflow settings' });
    await dialog.getByRole('switch', { name: 'Strict references' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toBeHidden();
    await editor.run();
    await expect(editor.runPanel.getByText('Error', { exact: true })).toBeVisible();
    await expect(editor.runPanel.getByText(/\$start\.body\.persn has no value here/).first()).toBeVisible();
  });

  await test.step('the list of runs finds the run that had them', async () => {
    await page.goto('/runs');
    const table = page.getByRole('table', { name: 'Runs' });
    await expect(table.getByRole('row').filter({ hasText: 'Greeting' })).toHaveCount(2);
    await page.getByRole('combobox', { name: 'References' }).click();
    await page.getByRole('option', { name: 'Unresolved references' }).click();
    const row = table.getByRole('row').filter({ hasText: 'Greeting' });
    await expect(row).toHaveCount(1);
    await expect(row.getByText('2 unresolved')).toBeVisible();
    await row.getByText('Success').click();
    await expect(page.getByText('Finished with 2 unresolved references')).toBeVisible();
  });
});

test('workflows created in the editor have strict references', async ({ person }) => {
  const { page } = person;
  await page.goto('/');
  await page.getByRole('button', { name: 'New workflow' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New workflow' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Strict');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect(page).toHaveURL(/\/workflows\/[0-9a-f-]{36}/);
  const id = /workflows\/([0-9a-f-]{36})/.exec(page.url())?.[1];
  const answer = await person.context.request.get(`/api/workflows/${id}`);
  expect(await answer.json()).toMatchObject({ name: 'Strict', strict_references: true });
});
