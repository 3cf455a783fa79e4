import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '../support/journey.ts';
import { call, seed } from '../support/seed.ts';
import { everyLook, speakGerman } from './looks.ts';

/** Places whose pictures are taken together with what people do there. */
const ELSEWHERE = new Set(
  'home boards runs inbox assistant traces evals triggers schedules settings'.split(' '),
);

const FOLDER = fileURLToPath(new URL('../../../apps/web/src/pages', import.meta.url));
const PAGES = readdirSync(FOLDER)
  .filter((name) => existsSync(join(FOLDER, name, 'place.ts')) && !ELSEWHERE.has(name))
  .map((name) => [name, `/${name}`] as const);

everyLook('lists of what workflows use', async ({ join, take }) => {
  const person = await join();
  const { page } = person;
  for (const [name, address] of PAGES) {
    if (name === 'audit') continue;
    await page.goto(address);
    await take(page, `${name}-empty`);
  }
  const { team } = await seed(person, await join('Grace Hopper'));
  for (const [name, address] of PAGES) {
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await take(page, name);
  }
  await page.goto(`/teams?team=${team}`);
  await expect(page.getByText('Order intake')).toBeVisible();
  await take(page, 'team');

  await page.goto('/credentials');
  await page.getByRole('button', { name: 'New credential' }).click();
  await take(page, 'credential-types');
  await page.getByRole('button', { name: /^PostgreSQL vector store/ }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await take(page, 'credential-form');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'New credential' }).click();
  await page.getByRole('button', { name: /router/i }).click();
  await take(page, 'credential-router');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'crm', exact: true }).click();
  await take(page, 'credential-edit');
  await page.keyboard.press('Escape');

  await page.goto('/variables');
  await page.getByRole('button', { name: 'warehouses', exact: true }).click();
  await take(page, 'variable-edit');
  await page.goto('/vector-stores');
  await page.getByRole('button', { name: 'New vector store' }).click();
  await page.getByRole('combobox').click();
  await take(page, 'vector-store-new');

  await page.goto('/templates');
  await page.getByRole('button', { name: 'Order intake' }).first().click();
  await take(page, 'template-preview');
  await page.getByRole('button', { name: 'Edit' }).click();
  await take(page, 'template-edit');

  await page.goto('/files');
  await page.getByRole('button', { name: 'Actions for report.json' }).click();
  await page.getByRole('menuitem', { name: 'Links and sharing…' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  await expect(page.getByRole('button', { name: 'Copy link' }).nth(1)).toBeVisible();
  await take(page, 'file-links');
  await page.keyboard.press('Escape');
  await page.getByRole('checkbox', { name: 'Select all shown' }).click();
  await take(page, 'files-selected');

  const { items } = await call<{ items: { id: string }[] }>(person, 'GET', '/api/audit');
  expect(items.length).toBeGreaterThan(5);
  await page.goto('/audit');
  await page.getByRole('row').nth(1).click();
  await take(page, 'audit-entry');
  await speakGerman(person.context);
  for (const address of ['/credentials', '/files', '/audit'] as const) {
    await page.goto(address);
    await take(page, `${address.slice(1)}-german`);
  }
});
