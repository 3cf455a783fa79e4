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
    const address = dialog.getByRole('textbox', { name: 'E-mail address' });
    const share = dialog.getByRole('button', { name: 'Share', exact: true });
    await address.fill('unknown@example.org');
    await share.click();
    await expect(dialog.getByText('unknown@example.org has no account here')).toBeVisible();
    await address.fill(person.email);
    await share.click();
    await expect(dialog.getByText('You own it already.')).toBeVisible();
    await address.fill(colleague.email);
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

  await test.step('which appears on the open canvas of the owner', async () => {
    await person.page.keyboard.press('Escape');
    await mine.node('review').click();
    // It looks every 20 seconds.
    const value = mine.panel.getByRole('textbox', { name: 'Value 1' });
    await expect(value).toHaveText('seen by Grace', { timeout: 40_000 });
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

  await test.step('who keeps what could not be saved any more', async () => {
    const { page } = colleague;
    await page.keyboard.press('Escape');
    const theirs = locateEditor(page);
    await theirs.choose('review');
    const bar = person.page.getByRole('region', { name: 'Workflow', exact: true });
    await bar.getByRole('button', { name: 'More' }).click();
    await person.page.getByRole('menuitem', { name: 'Share…' }).click();
    await person.page.getByRole('button', { name: 'Stop sharing with Grace Hopper' }).click();
    await expect(person.page.getByText('Only you have access so far.')).toBeVisible();
    await theirs.write('Value 1', 'written too late');
    await expect(page.getByRole('heading', { name: 'This workflow is no longer available' })).toBeVisible();
    await page.getByRole('button', { name: 'Save them as a new workflow' }).click();
    await expect(page.getByRole('heading', { name: 'Copy of Order intake' })).toBeVisible();
    await theirs.choose('review');
    await expect(theirs.panel.getByRole('textbox', { name: 'Value 1' })).toHaveText('written too late');
  });
});
