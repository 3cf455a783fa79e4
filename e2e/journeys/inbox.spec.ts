import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './support/axe.ts';
import { createWorkflow, expect, test } from './support/journey.ts';
import { overflow } from './support/overflow.ts';
import { BREAKS, call, execute } from './support/seed.ts';

const rows = (page: Page) => page.getByRole('table', { name: 'Inbox' }).locator('[data-row]');

test.use({ contextOptions: { reducedMotion: 'reduce' } });

test('failures are gone through by keyboard, dismissed, restored and run again as one job', async ({
  person,
}) => {
  const { page } = person;
  await page.goto('/inbox');
  await expect(page.getByRole('heading', { name: 'Nothing needs you' })).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);
  const breaks = await createWorkflow(person, BREAKS);
  for (const number of ['1', '2', '3', '4']) await execute(person, breaks.id, { number });
  await expect(rows(page)).toHaveCount(4);
  await expect(rows(page).first()).toContainText('Invoice 4 has no e-mail address');
  await page.reload();
  await expect(page.getByRole('link', { name: /Inbox.*4/ })).toBeVisible();
  await expect(rows(page)).toHaveCount(4);
  expect(await violationsInBothThemes(page)).toEqual([]);

  await test.step('by keyboard', async () => {
    await page.keyboard.press('j');
    await expect(rows(page).nth(0)).toBeFocused();
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await expect(rows(page).nth(0)).toBeFocused();
    await page.keyboard.press('e');
    await expect(rows(page)).toHaveCount(3);
    await expect(rows(page).nth(0)).toContainText('Invoice 3');
    await expect(rows(page).nth(0)).toBeFocused();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(rows(page)).toHaveCount(4);
    await expect(page.getByRole('button', { name: 'Undo' })).toBeHidden();
    await rows(page).nth(0).focus();
    for (let times = 0; times < 3; times++) await page.keyboard.down('j');
    await page.keyboard.up('j');
    await expect(rows(page).nth(3)).toBeFocused();
    // Held down, it dismisses the row that has the focus and no other.
    for (let times = 0; times < 3; times++) await page.keyboard.down('e');
    await page.keyboard.up('e');
    await expect(rows(page).nth(2)).toBeFocused();
    await expect(rows(page)).toHaveCount(3);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(rows(page)).toHaveCount(4);
    await rows(page).nth(0).press('r');
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('Run “Invoice reminder” again?');
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.keyboard.press('Escape');
    // Until it is gone it keeps the focus.
    await expect(dialog).toBeHidden();
    await rows(page).nth(0).press('Enter');
    await expect(page).toHaveURL(/\/runs\//);
    await page.goBack();
    await expect(rows(page)).toHaveCount(4);
    await rows(page).nth(0).press('g');
    await page.keyboard.press('e');
    await expect(page).toHaveURL(/\/triggers/);
    await page.goBack();
    await expect(rows(page)).toHaveCount(4);
  });

  await test.step('found by their reason, and dismissed', async () => {
    await page.getByRole('textbox', { name: 'Search reasons' }).pressSequentially('invoice 2', { delay: 40 });
    await expect(rows(page)).toHaveCount(1);
    await page.getByRole('checkbox', { name: 'Select run of Invoice reminder' }).click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Dismiss' }).click();
    await expect(page.getByRole('heading', { name: 'No runs match' })).toBeVisible();
    await page.getByRole('combobox', { name: 'Show' }).click();
    await page.getByRole('option', { name: 'Dismissed', exact: true }).click();
    await expect(rows(page)).toHaveCount(1);
    await page.goto('/inbox');
    await expect(rows(page)).toHaveCount(3);
  });

  await test.step('all again as one job, after which what failed again has taken their place', async () => {
    await page.getByRole('button', { name: 'Run all again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
    await expect(page.getByRole('status').filter({ hasText: '3 of 3 run again' })).toBeVisible();
    await expect(rows(page).filter({ hasText: 'Replay' })).toHaveCount(3);
    await expect(rows(page)).toHaveCount(3);
    expect(await violationsInBothThemes(page)).toEqual([]);
  });

  await test.step('none is left when the workflow is mended', async () => {
    const nodes = [{ id: 'start', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'start' } }];
    await call(person, 'PUT', `/api/workflows/${breaks.id}`, { nodes, edges: [] });
    for (const box of await page.getByRole('checkbox', { name: /Select run/ }).all()) await box.click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Run again', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
    await expect(page.getByRole('heading', { name: 'Nothing needs you' })).toBeVisible();
  });
});

test('refused deliveries are found, dismissed and sent again', async ({ person }) => {
  const { page, context } = person;
  const hook = `orders-${Date.now()}`;
  const position = { x: 0, y: 0 };
  const content = (active: boolean) => ({
    nodes: [{ id: hook, type: 'webhookTrigger', position, data: { label: 'orders', active } }],
    edges: [],
  });
  const { id } = await createWorkflow(person, { name: 'Orders of the shop', ...content(false) });
  const deliver = async (data: string, status: number) => {
    const headers = { 'content-type': 'application/json' };
    const sent = { headers, data: Buffer.from(data) };
    const answer = await context.request.post(`/api/webhooks/${hook}`, sent);
    expect(answer.status()).toBe(status);
  };
  for (const order of [1, 2]) await deliver(JSON.stringify({ order }), 404);
  await call(person, 'PUT', `/api/workflows/${id}`, content(true));
  for (let times = 0; times < 2; times++) await deliver('{"order":', 422);

  await page.goto('/inbox');
  await expect(page.getByRole('link', { name: /Inbox.*3/ })).toBeVisible();
  await expect(rows(page)).toHaveCount(3);
  await expect(rows(page).nth(0)).toContainText('Refused 2 times, no content');
  await expect(rows(page).nth(1)).toContainText('The trigger was paused or switched off');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await rows(page).nth(0).getByRole('checkbox').click();
  await expect(page.getByRole('button', { name: 'Resume from the failed node' })).toHaveCount(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => overflow(page)).toBe(0);
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('toolbar').getByRole('button', { name: 'Run again', exact: true }).click();
  await expect(page.getByText(/1 delivery was not sent: .*not kept/)).toBeVisible();
  await rows(page).nth(0).focus();
  await page.keyboard.press('e');
  await expect(rows(page)).toHaveCount(2);
  await rows(page).nth(0).focus();
  await page.keyboard.press('r');
  await expect(page.getByText('1 delivery sent again')).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Refused', exact: true }).click();
  await page.getByRole('button', { name: 'Send all again' }).click();
  const question = page.getByRole('dialog').or(page.getByRole('alertdialog'));
  await expect(question).toContainText('Send 1 delivery again?');
  await question.getByRole('button', { name: 'Send again' }).click();
  await expect(rows(page)).toHaveCount(0);
  const { items } = await call<{ items: unknown[] }>(
    person,
    'GET',
    `/api/workflows/history/all?workflow_id=${id}`,
  );
  expect(items).toHaveLength(2);
});

test('on a phone nothing is wider than the screen', async ({ person }) => {
  const { page } = person;
  await page.setViewportSize({ width: 390, height: 844 });
  const breaks = await createWorkflow(person, BREAKS);
  await execute(person, breaks.id, { number: '1' });
  await page.goto('/inbox');
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('checkbox', { name: 'Select run of Invoice reminder' }).click();
  await expect(page.getByRole('toolbar')).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);
  await expect.poll(() => overflow(page)).toBe(0);
});
