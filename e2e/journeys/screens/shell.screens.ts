import { createWorkflow, expect } from '../support/journey.ts';
import { ORDERS } from '../support/orders.ts';
import { seed } from '../support/seed.ts';
import { everyLook, speakGerman } from './looks.ts';

const TABS = ['profile', 'security', 'appearance', 'administration'] as const;

everyLook('settings', async ({ join, take }) => {
  const { page, context } = await join();
  for (const tab of TABS) {
    await page.goto(`/settings?tab=${tab}`);
    await take(page, `settings-${tab}`);
  }
  await speakGerman(context);
  await page.goto('/settings?tab=security');
  await take(page, 'settings-german');
});

everyLook('what covers every page', async ({ wide, join, take }) => {
  const person = await join();
  const { page } = person;
  const colleague = await join('Grace Hopper');
  await seed(person, colleague);
  await page.goto('/');
  await expect(page.getByRole('article').first()).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('dialog')).toBeVisible();
  await take(page, 'palette');
  await page.getByRole('dialog').getByRole('combobox').fill('order');
  await take(page, 'palette-search');
  await page.keyboard.press('Escape');
  await page.keyboard.press('q');
  await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
  await take(page, 'quick-drawer');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+?');
  await expect(page.getByRole('dialog')).toBeVisible();
  await take(page, 'shortcuts');
  await page.keyboard.press('Escape');

  const card = page.getByRole('article').filter({ hasText: 'Invoice reminder' });
  await card.getByRole('button', { name: 'Actions for Invoice reminder' }).click();
  await page.getByRole('menuitem', { name: 'Share…' }).click();
  await take(page, 'share-empty');
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(colleague.email);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByRole('dialog').getByText('Grace Hopper')).toBeVisible();
  await take(page, 'share');
  await page.keyboard.press('Escape');
  await card.getByRole('button', { name: 'Actions for Invoice reminder' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
  await take(page, 'toast-undo');
  await page.goto('/?show=deleted');
  await page.getByRole('button', { name: 'Actions for Old newsletter' }).click();
  await page.getByRole('menuitem', { name: 'Delete now' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await take(page, 'confirm');

  await page.goto('/');
  if (wide) {
    await page.getByRole('button', { name: /^Account/ }).click();
    await take(page, 'account-menu');
    await page.keyboard.press('Escape');
    await page.keyboard.press('[');
    await take(page, 'sidebar-collapsed');
  } else {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await take(page, 'phone-menu');
  }
  await page.goto('/no/such/page');
  await take(page, 'not-found');
});

everyLook('when something is wrong', async ({ join, take }) => {
  const person = await join();
  const { page, context } = person;
  const orders = await createWorkflow(person, ORDERS);
  await page.route('**/api/credentials', (route) =>
    route.fulfill({
      status: 500,
      json: { detail: 'Something went wrong', code: 'internal', request_id: 'r' },
    }),
  );
  await page.goto('/credentials');
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
  await take(page, 'load-failed');
  await page.goto('/workflows/00000000-0000-4000-8000-000000000000');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await take(page, 'workflow-gone');

  await page.goto(`/workflows/${orders.id}`);
  await expect(page.getByRole('application', { name: 'Canvas' })).toBeVisible();
  await page.goto('/variables');
  await page.getByRole('button', { name: 'New variable' }).first().click();
  await page.getByRole('textbox', { name: /^Name/ }).fill('a');
  await context.clearCookies();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
  await take(page, 'sign-in-again');
});

everyLook('the server is gone', async ({ join, take }) => {
  const { page } = await join();
  await page.route('**/api/**', (route) => route.abort());
  await page.goto('/');
  await expect(page.getByRole('alert')).toBeVisible({ timeout: 60_000 });
  await take(page, 'page-failed');
});
