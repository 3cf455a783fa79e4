import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { createWorkflow, expect, readWorkflow, test } from './support/journey.ts';
import { ORDERS } from './support/orders.ts';
import { call } from './support/seed.ts';

const card = (page: Page, name: string) => page.getByRole('article').filter({ hasText: name });
const menu = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
const toast = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });

/** Drops files on the page, as if they were dragged in from a folder of the system. */
async function dropFiles(page: Page, files: { name: string; bytes: Buffer }[]): Promise<void> {
  const transfer = await page.evaluateHandle(
    (given) => {
      const data = new DataTransfer();
      for (const { name, bytes } of given) data.items.add(new File([new Uint8Array(bytes)], name));
      return data;
    },
    files.map(({ name, bytes }) => ({ name, bytes: [...bytes] })),
  );
  const target = page.getByRole('heading', { level: 1 });
  await target.dispatchEvent('dragover', { dataTransfer: transfer });
  await target.dispatchEvent('drop', { dataTransfer: transfer });
}

test('workflows and folders are put in order by dragging, and each move can be taken back', async ({
  person,
}) => {
  const { page } = person;
  const { id } = await createWorkflow(person, ORDERS);
  const sales = await call(person, 'POST', '/folders', { name: 'Sales' });
  const europe = await call(person, 'POST', '/folders', { name: 'Europe' });
  await page.goto('/');
  const tree = page.getByRole('tree', { name: 'Folders' });

  await test.step('a workflow into a folder, and back', async () => {
    await card(page, 'Order intake').dragTo(tree.getByText('Sales', { exact: true }));
    await expect(toast(page, 'moved to Sales')).toBeVisible();
    await expect.poll(async () => (await readWorkflow(person, id))['folder_id']).toBe(sales.id);
    await toast(page, 'moved to Sales').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await readWorkflow(person, id))['folder_id']).toBe(null);
    // When it goes it gives the focus back, and Chromium forgets a drag that was about to begin.
    await expect(toast(page, 'moved to Sales')).toHaveCount(0);
  });

  await test.step('a folder into another', async () => {
    await tree
      .getByText('Europe', { exact: true })
      .dragTo(tree.getByText('Sales', { exact: true }), { steps: 10 });
    await expect(toast(page, 'moved to Sales').filter({ hasText: 'Europe' })).toBeVisible();
    const read = () => call<{ parent_id: string | null }>(person, 'GET', `/api/folders/${europe.id}`);
    await expect.poll(async () => (await read()).parent_id).toBe(sales.id);
    await expect(tree.getByRole('treeitem', { name: /Europe/ })).toHaveAttribute('aria-level', '2');
  });

  await test.step('a workflow onto the deletion area, and restored from it', async () => {
    await card(page, 'Order intake').dragTo(page.getByRole('button', { name: /^To be deleted/ }));
    await expect(card(page, 'Order intake')).toHaveCount(0);
    await page.getByRole('button', { name: /^To be deleted/ }).click();
    await card(page, 'Order intake').getByRole('button', { name: 'Restore' }).click();
    await expect(page.getByText('Nothing awaits deletion')).toBeVisible();
    await page.getByRole('button', { name: /^All workflows/ }).click();
    await expect(card(page, 'Order intake')).toBeVisible();
  });
});

test('the same moves go without a mouse, and pins, copies and search find their place', async ({
  person,
}) => {
  const { page } = person;
  const { id } = await createWorkflow(person, ORDERS);
  await createWorkflow(person, { name: 'Stock alert', description: 'Rings when shelves are empty' });
  const sales = await call(person, 'POST', '/folders', { name: 'Sales' });
  await page.goto('/');

  await test.step('move by the menu, with keys alone', async () => {
    await page.getByRole('button', { name: 'Actions for Order intake' }).focus();
    await page.keyboard.press('Enter');
    // A menu takes the focus after it is shown.
    await expect(page.getByRole('menu').locator(':focus')).toHaveCount(1);
    await page.getByRole('menuitem', { name: 'Move to…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Move “Order intake” to' });
    await expect(dialog.locator('input')).toBeFocused();
    await expect(dialog.getByRole('option', { name: 'No folder', selected: true })).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await expect(dialog.getByRole('option', { name: 'Sales', selected: true })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await readWorkflow(person, id))['folder_id']).toBe(sales.id);
  });

  await test.step('pin', async () => {
    await menu(page, 'Order intake', 'Pin');
    await expect(page.getByRole('heading', { name: 'Pinned' })).toBeVisible();
    // Shown before it is stored; a reload would cut off a request that is still on its way.
    await expect.poll(() => call(person, 'GET', '/api/workflow-pins')).toEqual({ workflow_ids: [id] });
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Pinned' })).toBeVisible();
  });

  await test.step('duplicate', async () => {
    await menu(page, 'Stock alert', 'Duplicate');
    await expect(page.getByRole('article')).toHaveCount(3);
  });

  await test.step('search in descriptions, kept in the address', async () => {
    await page.getByRole('textbox', { name: 'Search workflows' }).fill('shelves empty');
    await expect(page.getByRole('article')).toHaveCount(2);
    await expect(page).toHaveURL(/q=shelves/);
    await page.reload();
    await expect(page.getByRole('article')).toHaveCount(2);
    await page.getByRole('button', { name: 'Clear search' }).click();
    await expect(page.getByRole('article')).toHaveCount(3);
  });

  await test.step('settings beside the graph', async () => {
    await menu(page, 'Order intake', 'Settings…');
    const dialog = page.getByRole('dialog', { name: 'Workflow settings' });
    await dialog.getByRole('textbox', { name: /^Time limit/ }).fill('30');
    await dialog.getByRole('textbox', { name: /^Runs at once/ }).fill('2');
    await dialog.getByRole('textbox', { name: /^Separately for each/ }).fill('$input.body.customer');
    await dialog.getByRole('textbox', { name: /^Runs that may wait/ }).fill('10');
    await dialog.getByRole('combobox', { name: 'When one more comes' }).click();
    await page.getByRole('option', { name: 'Drop the one that has waited longest' }).click();
    await dialog.getByRole('textbox', { name: /^Priority/ }).fill('5');
    await dialog.getByRole('combobox', { name: 'When a run fails, run' }).click();
    await page.getByPlaceholder('Find…').fill('stock');
    await page.getByRole('option', { name: 'Stock alert', exact: true }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toBeHidden();
    const saved = await readWorkflow(person, id);
    expect(saved['workflow_timeout_seconds']).toBe(30);
    expect(saved).toMatchObject({
      concurrency_limit: 2,
      concurrency_key: '$input.body.customer',
      queue_limit: 10,
      queue_overflow: 'drop_oldest',
      priority: 5,
    });
    expect(saved['error_workflow_id']).not.toBeNull();
  });
});

test('workflows are carried out as files and dropped in again', async ({ person }) => {
  const { page } = person;
  const { id } = await createWorkflow(person, ORDERS);
  const sales = await call(person, 'POST', '/folders', { name: 'Sales' });
  await call(person, 'PUT', `/folders/${sales.id}/workflows/${id}`);
  await page.goto('/');

  const saved = page.waitForEvent('download');
  await menu(page, 'Order intake', 'Export as JSON');
  const json = readFileSync(await (await saved).path());
  expect((JSON.parse(json.toString()) as { nodes: unknown[] }).nodes).toHaveLength(ORDERS.nodes.length);

  await test.step('a file of another product, which has neither name nor tidy ids', async () => {
    const foreign = {
      nodes: [
        { id: 1, type: 'textInput', data: { label: 'in', status: 'success', __x: 1 } },
        { id: 2, type: 'output', position: { x: 300, y: 0 }, data: { label: 'out', message: '$in.text' } },
      ],
      edges: [
        { source: 1, target: 2, sourceHandle: '' },
        { source: 1, target: 99 },
      ],
    };
    await dropFiles(page, [{ name: 'night-shift.json', bytes: Buffer.from(JSON.stringify(foreign)) }]);
    // The changes are in front at once; no message covers them.
    const report = page.getByRole('dialog', { name: 'What changed in “night-shift”' });
    await expect(report.getByRole('listitem')).toContainText(['The edge leads to "99"']);
    await expect(toast(page, 'imported')).toHaveCount(0);
    await report.getByRole('button', { name: 'Close' }).click();
    await expect(report).toBeHidden();
    await expect(card(page, 'night-shift')).toBeVisible();
  });

  await test.step('the file that was exported, and one that is no workflow', async () => {
    await dropFiles(page, [
      { name: 'orders.json', bytes: json },
      { name: 'holiday.png', bytes: Buffer.from('PNG') },
    ]);
    await expect(toast(page, 'holiday.png was not imported')).toBeVisible();
    await expect(card(page, 'Order intake')).toHaveCount(2);
  });

  await test.step('a whole folder as ZIP', async () => {
    const zip = page.waitForEvent('download');
    await page.getByRole('treeitem', { name: /Sales/ }).hover();
    await page.getByRole('button', { name: 'Actions for Sales' }).click();
    await page.getByRole('menuitem', { name: 'Download as ZIP' }).click();
    const bytes = readFileSync(await (await zip).path());
    await dropFiles(page, [{ name: 'sales.zip', bytes }]);
    await expect(toast(page, '1 workflow in 1 folder imported')).toBeVisible();
    await expect(page.getByRole('treeitem', { name: /Sales/ })).toHaveCount(2);
  });
});

test('the page says how far the deletion of the runs of a workflow is, until it is over', async ({
  person,
}) => {
  const { page } = person;
  const deletion = { workflow_id: randomUUID(), workflow_name: 'Nightly export', runs_deleted: 0 };
  // A million runs would take longer than the journey.
  let open: object[] = [{ ...deletion, runs_total: null }];
  await page.route('**/api/workflows/deletions', (route) => route.fulfill({ json: open }));
  await page.goto('/');
  await expect(
    page.getByRole('status').filter({ hasText: 'Deleting the runs of “Nightly export”' }),
  ).toBeVisible();
  open = [{ ...deletion, runs_deleted: 20_000, runs_total: 1_000_000 }];
  await expect(page.getByText('Deleting the runs of “Nightly export”: 20,000 of 1,000,000')).toBeVisible();
  open = [];
  await expect(page.getByText(/Deleting the runs/)).toBeHidden();
});

test('several workflows and folders are ticked by mouse and keyboard, and changed at once', async ({
  person,
}) => {
  const { page } = person;
  for (const name of ['First', 'Second', 'Third'])
    await call(person, 'POST', '/api/workflows', { name, nodes: [], edges: [] });
  for (const name of ['Sales', 'Old', 'Older']) await call(person, 'POST', '/folders', { name });
  await page.goto('/');
  const bar = page.getByRole('toolbar');

  await test.step('cards: one, and with Shift those up to another', async () => {
    await card(page, 'Third').hover();
    await page.getByRole('checkbox', { name: 'Select Third' }).click();
    await page.getByRole('checkbox', { name: 'Select First' }).click({ modifiers: ['Shift'] });
    await expect(bar).toHaveAccessibleName('3 selected');
    await bar.getByRole('button', { name: 'Delete' }).click();
    await expect(toast(page, '3 workflows are scheduled for deletion')).toBeVisible();
    await toast(page, '3 workflows are scheduled for deletion').getByRole('button', { name: 'Undo' }).click();
    await expect(card(page, 'Second')).toBeVisible();
  });

  await test.step('the list: by the space bar', async () => {
    await page.getByRole('radio', { name: 'List' }).click();
    await page.getByRole('row').nth(1).press('Space');
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('row').nth(2)).toBeFocused();
    await page.keyboard.press('Shift+Space');
    await expect(bar).toHaveAccessibleName('2 selected');
    await bar.getByRole('button', { name: 'Move to…' }).press('Enter');
    await page.keyboard.type('Sales');
    await page.keyboard.press('Enter');
    await expect(toast(page, '2 workflows moved to Sales')).toBeVisible();
  });

  await test.step('folders', async () => {
    await page.getByRole('treeitem', { name: 'Older' }).hover();
    await page.getByRole('checkbox', { name: 'Select folder Older' }).click();
    await page.getByRole('checkbox', { name: 'Select folder Old', exact: true }).click();
    await page.getByRole('button', { name: 'Delete folders' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete folders' }).click();
    await expect(toast(page, '2 folders deleted')).toBeVisible();
    await expect(page.getByRole('treeitem')).toHaveCount(1);
  });
});
