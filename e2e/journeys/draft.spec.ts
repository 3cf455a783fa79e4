import { editorOf } from './support/editor.ts';
import { createWorkflow, expect, readWorkflow, test } from './support/journey.ts';

test('unsaved work survives a reload and can be saved or thrown away', async ({ person }) => {
  const { page } = person;
  page.on('dialog', (dialog) => void dialog.accept());
  const editor = editorOf(page);
  const workflow = await createWorkflow(person, { name: 'Draft' });
  await editor.open(workflow.id);
  await editor.add('Text Input');
  await expect(page.getByRole('region', { name: 'Workflow', exact: true }).getByRole('status')).toHaveText(
    'Unsaved changes',
  );
  await expect
    .poll(() => page.evaluate((id) => localStorage.getItem(`millrace.draft.${id}`), workflow.id))
    .toContain('textInput');

  await page.reload();
  await expect(editor.node('textInput')).toBeVisible();
  await expect(page.getByText('Your unsaved work from last time is on the canvas.')).toBeVisible();
  expect((await readWorkflow(person, workflow.id))['nodes']).toEqual([]);
  await editor.save();

  await editor.add('Set');
  await expect(page.getByRole('region', { name: 'Workflow', exact: true }).getByRole('status')).toHaveText(
    'Unsaved changes',
  );
  await expect
    .poll(() => page.evaluate((id) => localStorage.getItem(`millrace.draft.${id}`), workflow.id))
    .toContain('mappings');
  await page.reload();
  await page.getByRole('button', { name: 'Discard draft' }).click();
  await expect(editor.node('set')).toBeHidden();
  await expect(editor.node('textInput')).toBeVisible();
});

test('leaving with unsaved work asks first', async ({ person }) => {
  const { page } = person;
  const editor = editorOf(page);
  const workflow = await createWorkflow(person, { name: 'Leaving' });
  await editor.open(workflow.id);
  await editor.add('Text Input');
  const home = page.getByRole('link', { name: 'Back to workflows' });
  const asked = page.getByRole('dialog', { name: 'Leave with unsaved changes?' });

  await home.click();
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await expect(editor.node('textInput')).toBeVisible();

  await home.click();
  await asked.getByRole('button', { name: 'Leave', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Workflows', level: 1 })).toBeVisible();
});
