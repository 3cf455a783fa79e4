import type { Page } from '@playwright/test';
import { createWorkflow, expect, type Person, test } from './support/journey.ts';
import { ORDERS } from './support/orders.ts';
import { BREAKS, call, execute, SLOW, startSlow } from './support/seed.ts';

interface History {
  total: number;
  items: { id: string; status: string; workflow_name: string }[];
}

const history = (person: Person, filter = '') =>
  call<History>(person, 'GET', `/api/workflows/history/all?limit=100${filter}`);
const rows = (page: Page) => page.getByRole('table', { name: 'Runs' }).getByRole('row');
const select = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select run of ${name}` });

test('runs are filtered by the address, followed live and opened beside the list', async ({ person }) => {
  const { page } = person;
  const orders = await createWorkflow(person, ORDERS);
  const breaks = await createWorkflow(person, BREAKS);
  await execute(person, orders.id, { customer: 'Ada', amount: '1' });
  await execute(person, breaks.id, { number: '7' });
  await page.goto('/runs');
  await expect(rows(page)).toHaveCount(3);

  await test.step('a new run appears by itself', async () => {
    await execute(person, orders.id, { customer: 'Grace', amount: '2' });
    await expect(rows(page)).toHaveCount(4);
  });

  await test.step('the filter is in the address, so that a colleague can be sent it', async () => {
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Error' }).click();
    await expect(rows(page)).toHaveCount(2);
    await expect(page).toHaveURL(/status=error/);
    await page.reload();
    await expect(rows(page)).toHaveCount(2);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('combobox', { name: /^Workflow/ }).click();
    await page.getByPlaceholder('Find…').fill('order');
    await expect(page.getByRole('option', { name: /Order intake/, selected: true })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(rows(page)).toHaveCount(3);
    await expect(page).toHaveURL(new RegExp(`workflow=${orders.id}`));
    await page.getByRole('button', { name: 'Clear filters' }).click();
  });

  await test.step('the details say where it failed', async () => {
    await rows(page).filter({ hasText: 'Invoice reminder' }).getByText('Error').click();
    await expect(page).toHaveURL(/run=/);
    const details = page.getByRole('complementary', { name: 'Run' });
    await expect(details.getByText('Failed at refuse')).toBeVisible();
    await expect(details.getByText('Invoice 7 has no e-mail address').first()).toBeVisible();
  });
});

test('several runs are stopped, replayed and compared at once', async ({ person }) => {
  const { page } = person;
  const slow = await createWorkflow(person, SLOW);
  const orders = await createWorkflow(person, ORDERS);
  await execute(person, orders.id, { customer: 'Ada', amount: '40' });
  await execute(person, orders.id, { customer: 'Grace', amount: '900' });
  await startSlow(person, slow.id);
  await startSlow(person, slow.id);
  await page.goto('/runs');
  await expect(rows(page)).toHaveCount(5);

  await test.step('stop those that run', async () => {
    await select(page, SLOW.name).nth(0).click();
    await select(page, SLOW.name).nth(1).click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Stop 2 runs' }).click();
    await expect(rows(page).filter({ hasText: 'Cancelled' })).toHaveCount(2);
    await expect.poll(async () => (await history(person, '&status=cancelled')).total).toBe(2);
  });

  await test.step('run the others again, after a question', async () => {
    await select(page, 'Order intake').nth(0).click();
    await select(page, 'Order intake').nth(1).click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
    await expect(rows(page).filter({ hasText: 'Order intake' })).toHaveCount(4);
    await expect
      .poll(async () => (await history(person, `&workflow_id=${orders.id}&status=success`)).total)
      .toBe(4);
  });

  await test.step('delete those that were stopped, after a question', async () => {
    await select(page, SLOW.name).nth(0).click();
    await select(page, SLOW.name).nth(1).click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete 2 runs' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 2 runs' }).click();
    await expect(page.getByText('2 runs deleted')).toBeVisible();
    await expect(rows(page).filter({ hasText: 'Cancelled' })).toHaveCount(0);
    expect((await history(person, '&status=cancelled')).total).toBe(0);
  });

  await test.step('compare two, node by node', async () => {
    const both = (await history(person, `&workflow_id=${orders.id}`)).items.slice(-2);
    await page.goto(`/runs?workflow=${orders.id}`);
    await expect(rows(page)).toHaveCount(5);
    await select(page, 'Order intake').nth(2).click();
    await select(page, 'Order intake').nth(3).click();
    await page.getByRole('button', { name: 'Compare' }).click();
    await expect(page).toHaveURL(new RegExp(`/runs/${both[1]?.id}/compare/${both[0]?.id}`));
    await expect(page.getByText('Inputs differ')).toBeVisible();
    await page.getByRole('button', { name: /priced/ }).click();
    await expect(page.getByRole('row', { name: /\.customer.*Ada.*Grace/ })).toBeVisible();
  });
});

test('a panel that crashes leaves the rest of the page at work', async ({ person }) => {
  const { page } = person;
  const orders = await createWorkflow(person, ORDERS);
  await execute(person, orders.id, { customer: 'Ada', amount: '40' });
  // An answer that no version of the service gives, as a stand-in for a fault in the panel.
  await page.route('**/api/workflows/history/all/*', (route) =>
    route.fulfill({ json: { status: 'success', workflow_name: 'x', node_results: null } }),
  );
  await page.goto('/runs');
  await rows(page).nth(1).getByText('Success').click();
  await expect(page.getByText('This part of the page stopped working')).toBeVisible();
  await expect(rows(page)).toHaveCount(2);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('complementary', { name: 'Run' }).getByText('Order intake')).toBeVisible();
});
