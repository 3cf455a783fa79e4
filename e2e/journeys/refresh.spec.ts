// Leads through: shell
import { violations } from './support/axe.ts';
import { createWorkflow, expect, test } from './support/journey.ts';
import { ORDERS } from './support/orders.ts';
import { execute } from './support/seed.ts';

const FAILED = 'Some of this could not be refreshed.';

test('a page that is opened while the server is down appears when it is back', async ({ person }) => {
  const { page, context } = person;
  await page.goto('/variables');
  await page.getByRole('heading', { name: 'No variables yet' }).waitFor();
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Skills' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'The server cannot be reached.' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Skills' })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole('heading', { name: 'Skills', exact: true })).toBeVisible();
});

test('so does an editor, with its style sheet', async ({ person }) => {
  const { page, context } = person;
  const { id } = await createWorkflow(person, ORDERS);
  await page.goto('/variables');
  await page.getByRole('heading', { name: 'No variables yet' }).waitFor();
  await context.setOffline(true);
  // As a link in the page does.
  await page.evaluate((path) => {
    history.pushState(null, '', path);
    dispatchEvent(new PopStateEvent('popstate'));
  }, `/workflows/${id}`);
  await expect(page.getByRole('status').filter({ hasText: 'The server cannot be reached.' })).toBeVisible();
  await context.setOffline(false);
  const canvas = page.getByRole('application', { name: 'Canvas' });
  await expect(canvas).toBeVisible();
  // Without its style sheet, the canvas lays out as text.
  await expect(canvas.locator('.react-flow__node').first()).toHaveCSS('position', 'absolute');
});

test('what was loaded stays on screen while it cannot be refreshed', async ({ person }) => {
  const { page } = person;
  const notice = page.getByRole('status').filter({ hasText: FAILED });
  const orders = await createWorkflow(person, ORDERS);
  await execute(person, orders.id, { customer: 'Ada', amount: '1' });

  await test.step('a list that follows what happens keeps its rows, and continues by itself', async () => {
    const rows = page.getByRole('table', { name: 'Runs' }).locator('[data-row]');
    await page.goto('/runs');
    await expect(rows).toHaveCount(1);
    await page.route('**/api/workflows/history/all?*', (route) => route.abort());
    await expect(notice).toBeVisible();
    await expect(rows).toHaveCount(1);
    expect(await violations(page)).toEqual([]);
    await execute(person, orders.id, { customer: 'Grace', amount: '2' });
    await page.unrouteAll();
    await expect(rows).toHaveCount(2);
    await expect(notice).toBeHidden();
  });

  await test.step('any other is refreshed with the button', async () => {
    await page.goto('/variables');
    const add = async (name: string) => {
      await page.getByRole('button', { name: 'New variable' }).first().click();
      await page.getByRole('textbox', { name: 'Name' }).pressSequentially(name);
      await page.getByRole('textbox', { name: 'Value' }).pressSequentially('0.2');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByRole('dialog')).toBeHidden();
    };
    const variable = (name: string) => page.getByRole('button', { name, exact: true });
    await add('taxRate');
    await expect(variable('taxRate')).toBeVisible();
    await page.route('**/api/global-variables*', (route) =>
      route.request().method() === 'GET' ? route.fulfill({ status: 503, json: {} }) : route.fallback(),
    );
    await add('discount');
    await expect(notice).toBeVisible();
    await expect(variable('taxRate')).toBeVisible();
    await expect(variable('discount')).toBeHidden();
    const again = page.getByRole('button', { name: 'Try again' });
    await again.click();
    await expect(again).toBeEnabled();
    await expect(notice).toBeVisible();
    await page.unrouteAll();
    await again.click();
    await expect(variable('discount')).toBeVisible();
    await expect(notice).toBeHidden();
  });
});

test.describe('in German', () => {
  test.use({ contextOptions: { locale: 'de-DE' } });

  test('a canvas stays open when its workflow cannot be read again', async ({ person }) => {
    const { page } = person;
    const { id } = await createWorkflow(person, ORDERS);
    const canvas = page.getByRole('application', { name: 'Arbeitsfläche' });
    await page.goto(`/workflows/${id}`);
    await expect(canvas).toBeVisible();
    await page.route(`**/api/workflows/${id}?*`, (route) =>
      route.request().method() === 'GET' ? route.fulfill({ status: 503, json: {} }) : route.fallback(),
    );
    const notice = page
      .getByRole('status')
      .filter({ hasText: 'Ein Teil davon konnte nicht aktualisiert werden.' });
    await expect(async () => {
      // As when one returns to the tab; what was read a moment ago is not read again yet.
      await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
      await expect(notice).toBeVisible({ timeout: 2_000 });
    }).toPass();
    await expect(canvas).toBeVisible();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Erneut versuchen' }).click();
    await expect(notice).toBeHidden();
    await expect(canvas).toBeVisible();
  });
});
