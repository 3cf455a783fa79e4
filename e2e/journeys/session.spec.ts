// Leads through: pages/auth, session
import type { BrowserContext } from '@playwright/test';
import { createWorkflow, expect, PASSWORD, test } from './support/journey.ts';
import { ORDERS } from './support/orders.ts';

/** Does what the browser does by itself when an access token has run out. */
const loseAccess = (context: BrowserContext) => context.clearCookies({ name: 'access_token' });

test('an access token that runs out in the middle of a click costs nothing', async ({ person }) => {
  const { page, context } = person;
  await page.goto('/variables');
  await page.getByRole('button', { name: 'New variable' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('taxRate');
  await page.getByRole('textbox', { name: 'Value' }).fill('0.2');
  const renewals: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/auth/refresh')) renewals.push(request.method());
  });
  await loseAccess(context);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: 'taxRate', exact: true })).toBeVisible();
  expect(renewals).toEqual(['POST']);
});

test('after a session has ended, the page asks for the password in place and continues with the click', async ({
  person,
}) => {
  const { page, context, email } = person;
  await page.goto('/variables');
  await page.getByRole('button', { name: 'New variable' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('taxRate');
  await page.getByRole('textbox', { name: 'Value' }).fill('0.2');
  // The page polls in the background; here the click is what finds the session ended.
  let release = () => {};
  const clicked = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/**', async (route) => {
    if (route.request().method() === 'GET') await clicked;
    await route.fallback();
  });
  await context.clearCookies();
  await page.getByRole('button', { name: 'Save' }).click();
  release();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await expect(dialog.getByRole('textbox', { name: 'E-mail' })).toHaveValue(email);
  await expect(dialog.getByLabel('Password', { exact: true })).toBeFocused();

  await page.keyboard.type('Wrong-2026');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('E-mail address or password is wrong.')).toBeVisible();
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'taxRate', exact: true })).toBeVisible();
});

test('an address that needs a session is opened after signing in', async ({ person, visitor }) => {
  const workflow = await createWorkflow(person, ORDERS);
  const page = await visitor();
  await page.goto(`/workflows/${workflow.id}`);
  await expect(page).toHaveURL(/\/sign-in\?next=/);
  await page.getByRole('textbox', { name: 'E-mail' }).fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(`/workflows/${workflow.id}`);
  await expect(page.getByRole('application', { name: 'Canvas' })).toBeVisible();

  await test.step('but none that leads away', async () => {
    await page.context().clearCookies();
    await page.goto('/sign-in?next=//example.com/');
    await page.getByRole('textbox', { name: 'E-mail' }).fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('heading', { name: 'Workflows', level: 1 })).toBeVisible();
    // Signed in, the page sends on at once.
    for (const next of ['https://example.com/', '//example.com/', '/\\\\example.com']) {
      await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
      await expect(page.getByRole('heading', { name: 'Workflows', level: 1 })).toBeVisible();
      await expect(page).toHaveURL('/');
    }
  });
});

test('registration keeps the deep link, shows the rules, and signing out ends the session', async ({
  visitor,
}) => {
  const page = await visitor();
  await page.goto('/runs?status=error');
  await page.getByRole('link', { name: 'Create account' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Mary Shelley');
  await page.getByRole('textbox', { name: 'E-mail' }).fill(`mary-${Date.now()}@example.com`);
  await page.getByLabel('Password', { exact: true }).fill('frankenstein');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('The password does not meet all rules yet')).toBeVisible();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page).toHaveURL('/runs?status=error');
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page).toHaveURL('/sign-in');
  await page.goto('/runs');
  await expect(page).toHaveURL(/\/sign-in/);
});
