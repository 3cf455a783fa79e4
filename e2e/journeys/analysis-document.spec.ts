// Leads through: features/workflow
import type { Page } from '@playwright/test';
import { createWorkflow, expect, test } from './support/journey.ts';
import { ORDERS } from './support/orders.ts';
import { call } from './support/seed.ts';

async function openDocument(page: Page) {
  await page.goto('/');
  await page.getByRole('button', { name: 'Actions for Order intake' }).click();
  await page.getByRole('menuitem', { name: 'Analysis document…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Analysis document of “Order intake”' });
  await dialog.getByRole('button', { name: 'Edit' }).click();
  return dialog;
}

test('two people write the analysis document of a workflow, and neither loses a word unasked', async ({
  person,
  join,
}) => {
  const colleague = await join('Grace Hopper');
  const workflow = await createWorkflow(person, ORDERS);
  await call(person, 'POST', `/api/workflows/${workflow.id}/shares`, { email: colleague.email });

  const mine = await openDocument(person.page);
  const theirs = await openDocument(colleague.page);
  await theirs.getByRole('textbox').fill('# Ask Grace\n\nwhen the tax rate changes');
  await theirs.getByRole('button', { name: 'Save' }).click();
  await expect(theirs.getByRole('heading', { name: 'Ask Grace' })).toBeVisible();

  await mine.getByRole('textbox').fill('Ask Ada');
  await mine.getByRole('button', { name: 'Save' }).click();
  await expect(mine.getByText('Grace Hopper has changed this document')).toBeVisible();
  await expect(mine.getByText('when the tax rate changes')).toBeVisible();
  await mine.getByRole('button', { name: 'Continue with theirs' }).click();
  await expect(mine.getByRole('textbox')).toHaveValue(/tax rate/);
  await mine.getByRole('textbox').press('ControlOrMeta+End');
  await person.page.keyboard.insertText('\n\nAda knows too');
  await mine.getByRole('button', { name: 'Save' }).click();
  await expect(mine.getByText('Ada knows too')).toBeVisible();
  await expect
    .poll(() => call(colleague, 'GET', `/api/workflows/${workflow.id}/analysis-note`))
    .toMatchObject({ revision: 2, content: expect.stringMatching(/Ask Grace[^]*Ada knows too/) });
});
