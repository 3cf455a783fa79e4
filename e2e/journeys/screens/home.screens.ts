import { expect } from '../support/journey.ts';
import { call, seed } from '../support/seed.ts';
import { everyLook, speakGerman } from './looks.ts';

everyLook('the home page', async ({ wide, join, take }) => {
  const person = await join();
  const { page } = person;
  await page.goto('/');
  await take(page, 'home-empty');
  const colleague = await join('Grace Hopper');
  const { folder, orders } = await seed(person, colleague);
  await page.goto('/');
  const card = page.getByRole('article').filter({ hasText: 'Order intake' });
  await card.getByRole('button', { name: 'Actions for Order intake' }).click();
  await take(page, 'home-menu');
  await page.getByRole('menuitem', { name: 'Pin' }).click();
  await take(page, 'home');
  await card.getByRole('button', { name: 'Actions for Order intake' }).click();
  await page.getByRole('menuitem', { name: 'Settings…' }).click();
  await expect(page.getByRole('dialog')).toContainText('Called by');
  await take(page, 'workflow-settings');
  await page.keyboard.press('Escape');
  await call(person, 'PUT', `/api/workflows/${orders}/analysis-note`, {
    content:
      '# Order intake\n\nAsk **Grace** when the tax rate changes.\n\n- runs on every order\n- answers in JSON',
    base_revision: 0,
  });
  await card.getByRole('button', { name: 'Actions for Order intake' }).click();
  await page.getByRole('menuitem', { name: 'Analysis document…' }).click();
  await expect(page.getByRole('heading', { name: 'Order intake', level: 1 }).last()).toBeVisible();
  await take(page, 'workflow-analysis-document');
  await page.keyboard.press('Escape');
  await page.getByRole('radio', { name: 'List' }).click();
  await take(page, 'home-list');
  await page.goto(`/?folder=${folder}`);
  await take(page, 'home-folder');
  await page.goto('/?show=deleted');
  await take(page, 'home-deleted');
  await page.goto('/?show=shared');
  await take(page, 'home-shared');
  await page.goto('/?q=nothing%20like%20this');
  await take(page, 'home-none-found');
  await page.goto('/');
  await page.getByRole('button', { name: 'New workflow' }).first().click();
  await take(page, 'home-new');
  await page.keyboard.press('Escape');
  if (!wide) {
    await page.getByRole('button', { name: 'Places' }).click();
    await take(page, 'home-places');
  }
});

everyLook('ten thousand workflows', async ({ join, take }) => {
  const { page } = await join();
  const now = new Date().toISOString();
  const rows = Array.from({ length: 10_000 }, (_, index) => ({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    name: `Workflow ${index + 1}`,
    description: index % 3 === 0 ? 'Takes an order, prices it and answers' : null,
    owner_id: '00000000-0000-4000-8000-000000000000',
    owner_name: 'Ada Lovelace',
    access: 'owner',
    folder_id: null,
    scheduled_for_deletion: null,
    first_node_type: ['textInput', 'cron', 'http'][index % 3],
    mcp_enabled: false,
    portal_enabled: false,
    portal_slug: null,
    created_at: now,
    updated_at: now,
    auth_type: 'jwt',
    http_method: 'POST',
    shared_by_team: null,
  }));
  await page.route('**/api/workflows?*', (route) => route.fulfill({ json: rows }));
  await page.route('**/api/workflows', (route) => route.fulfill({ json: rows }));
  await page.goto('/');
  await take(page, 'home-10000');
});

everyLook('the home page in German', async ({ join, take }) => {
  const person = await join();
  await speakGerman(person.context);
  await seed(person, await join('Grace Hopper'));
  await person.page.goto('/');
  await take(person.page, 'home-german');
});
