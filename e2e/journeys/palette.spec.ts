// Leads through: shell
import { createWorkflow, expect, test } from './support/journey.ts';
import { ORDERS } from './support/orders.ts';

test('the palette reaches workflows, pages and commands without a mouse', async ({ person }) => {
  const { page } = person;
  await createWorkflow(person, ORDERS);
  await page.goto('/');
  await expect(page.getByRole('article')).toBeVisible();
  const palette = page.getByRole('dialog', { name: 'Command palette' });

  /** Enter takes the option that is shown as chosen; the code of a page may still be on its way. */
  async function choose(text: string, option: RegExp): Promise<void> {
    await page.keyboard.press('ControlOrMeta+k');
    await palette.getByRole('combobox').fill(text);
    await expect(palette.getByRole('option', { name: option, selected: true })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(palette).toBeHidden();
  }

  await test.step('a page', async () => {
    await choose('cred', /Credentials/);
    await expect(page).toHaveURL('/credentials');
  });

  await test.step('a command of the page one is on', async () => {
    await choose('new credential', /New credential/);
    const dialog = page.getByRole('dialog', { name: 'New credential' });
    await expect(dialog.locator(':focus')).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });

  await test.step('the theme', async () => {
    await choose('dark', /dark/i);
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  });

  await test.step('a workflow, by a word of its name', async () => {
    await choose('intake', /intake/i);
    await expect(page.getByRole('application', { name: 'Canvas' })).toBeVisible();
  });
});

test('shortcuts open pages and are listed, and are inactive while typing', async ({ person }) => {
  const { page } = person;
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Your first workflow starts here' })).toBeVisible();
  await page.keyboard.press('Shift+?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(list.getByText('Vector stores')).toBeVisible();
  await page.keyboard.press('Escape');
  // Plain keys rest while a dialog has the focus.
  await expect(list).toBeHidden();
  await page.keyboard.press('g');
  await page.keyboard.press('v');
  await expect(page).toHaveURL('/variables');
  // The address changes first; until the page is there, "n" is still that of the page before.
  await expect(page.getByRole('heading', { level: 1, name: 'Variables' })).toBeVisible();
  await page.keyboard.press('n');
  const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
  await name.pressSequentially('gr');
  await expect(page).toHaveURL('/variables');
  await expect(name).toHaveValue('gr');
  await name.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByRole('row', { name: /gr/ })).toBeVisible();
});
