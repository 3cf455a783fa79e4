// Leads through: features/sharing
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, test } from './support/journey.ts';
import { ORDERS } from './support/orders.ts';

test('a shared workflow is edited by a colleague, who may not change its endpoint settings', async ({
  person,
  join,
}) => {
  const colleague = await join('Grace Hopper');
  const workflow = await createWorkflow(person, ORDERS);
  const mine = locateEditor(person.page);
  await mine.open(workflow.id);

  await test.step('share it', async () => {
    const bar = person.page.getByRole('region', { name: 'Workflow', exact: true });
    await bar.getByRole('button', { name: 'More' }).click();
    await person.page.getByRole('menuitem', { name: 'Share…' }).click();
    const dialog = person.page.getByRole('dialog', { name: /Share/ });
    await dialog.getByRole('textbox', { name: 'E-mail address' }).fill(colleague.email);
    await dialog.getByRole('button', { name: 'Share', exact: true }).click();
    await expect(dialog.getByText('Grace Hopper')).toBeVisible();
  });

  await test.step('the colleague changes the canvas', async () => {
    const theirs = locateEditor(colleague.page);
    await theirs.open(workflow.id);
    await theirs.choose('review');
    await theirs.write('Value 1', 'seen by Grace');
    await theirs.save();
  });

  await test.step('and sees the endpoint settings without changing them', async () => {
    const { page } = colleague;
    await page
      .getByRole('region', { name: 'Workflow', exact: true })
      .getByRole('button', { name: 'Endpoint' })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Endpoint' });
    await dialog.getByRole('tab', { name: 'Settings' }).click();
    await expect(dialog.getByText(/Only Ada Lovelace/)).toBeVisible();
    await expect(dialog.getByRole('combobox', { name: 'Method' })).toBeDisabled();
  });
});
