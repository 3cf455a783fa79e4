import type { Page } from '@playwright/test';
import { violations } from './support/axe.ts';
import { createWorkflow, expect, test } from './support/journey.ts';
import { overflow } from './support/overflow.ts';

const PRINT = {
  name: 'Print',
  nodes: [
    { id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } },
    {
      id: 'out',
      type: 'output',
      position: { x: 300, y: 0 },
      data: { label: 'out', message: '$input.body.title' },
    },
  ],
  edges: [{ id: 'e', source: 'in', target: 'out' }],
};

const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const grip = (page: Page, title: string) => page.getByRole('button', { name: `Move “${title}”` });

/** With the steps in between, as a hand makes them. */
async function drag(page: Page, title: string, to: string): Promise<void> {
  // Hovering waits until the card stays in its place.
  await grip(page, title).hover();
  await page.mouse.down();
  const target = await column(page, to).boundingBox();
  if (!target) throw new Error('the column is not on the page');
  await page.mouse.move(target.x + target.width / 2, target.y + target.height - 30, { steps: 12 });
  await page.mouse.up();
}

test('cards are dragged by pointer and by key, start workflows, and two browsers see the same', async ({
  person,
}) => {
  const { page, context } = person;
  await createWorkflow(person, PRINT);
  await page.goto('/boards');

  await test.step('make a board', async () => {
    await page.getByRole('button', { name: 'New board' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New board' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Posters');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect(page.getByRole('heading', { name: 'Posters' })).toBeVisible();
  });

  await test.step('give a column its workflow', async () => {
    await page.getByRole('button', { name: 'Actions for In progress' }).click();
    await page.getByRole('menuitem', { name: 'Edit column' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit column' });
    await dialog.getByRole('combobox', { name: /Add a workflow/ }).click();
    await page.getByRole('option', { name: 'Print' }).click();
    await expect(dialog.getByText('1. Print')).toBeVisible();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toBeHidden();
  });

  await test.step('add cards', async () => {
    await page.getByRole('button', { name: 'Add card to To do' }).click();
    for (const title of ['Spring', 'Summer']) {
      await page.getByRole('textbox', { name: 'Title' }).fill(title);
      await page.keyboard.press('Enter');
      await expect(column(page, 'To do').getByRole('button', { name: title, exact: true })).toBeVisible();
      // Enter sends only once the card before is stored.
      await expect(page.getByRole('button', { name: 'Add', exact: true })).toBeEnabled();
    }
    expect(await violations(page)).toEqual([]);
  });

  await test.step('a title stays when it could not be sent; Escape gives the focus back', async () => {
    await page.route(/\/cards$/, (route) => route.abort(), { times: 1 });
    const title = page.getByRole('textbox', { name: 'Title' });
    await title.fill('Autumn');
    await page.keyboard.press('Enter');
    await expect(column(page, 'To do').getByRole('alert')).toBeVisible();
    await expect(title).toHaveValue('Autumn');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Add card to To do' })).toBeFocused();
  });

  const other = await context.newPage();
  await other.goto(page.url());
  await expect(column(other, 'To do').getByText('Spring')).toBeVisible();

  await test.step('drag a card to the column: its workflow runs, and the other browser sees it', async () => {
    await drag(page, 'Spring', 'In progress');
    await expect(column(page, 'In progress').getByText('Spring')).toBeVisible();
    await expect(column(page, 'In progress').getByText('Done')).toBeVisible({ timeout: 20_000 });
    await expect(column(other, 'In progress').getByText('Spring')).toBeVisible();
    await expect(column(other, 'In progress').getByText('Done')).toBeVisible({ timeout: 20_000 });
  });

  await test.step('read its output, comment and run again with the comment', async () => {
    await page.getByRole('button', { name: 'Spring', exact: true }).click();
    const sheet = page.getByRole('dialog', { name: 'Spring' });
    await expect(sheet.getByText('1 of 1 in In progress')).toBeVisible();
    await sheet.getByRole('textbox', { name: 'Comment' }).fill('**Larger** <script>alert(1)</script>');
    await sheet.getByRole('button', { name: 'Run with this comment' }).click();
    await expect(sheet.getByText('1 of 1 in In progress')).toHaveCount(2);
    await expect(sheet.locator('strong', { hasText: 'Larger' })).toBeVisible();
    await expect(sheet.locator('script')).toHaveCount(0);
    await sheet.getByRole('button', { name: 'Close' }).click();
  });

  await test.step('move by key: the grip keeps the focus', async () => {
    await grip(page, 'Summer').press('ArrowRight');
    await expect(column(page, 'In progress').getByText('Summer')).toBeVisible();
    await expect(grip(page, 'Summer')).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(column(page, 'In progress').getByRole('listitem').first()).toContainText('Summer');
    await expect(column(other, 'In progress').getByRole('listitem').first()).toContainText('Summer');
  });

  await test.step('delete and undo', async () => {
    await page.getByRole('button', { name: 'Summer', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Summer' })
      .getByRole('button', { name: 'Delete', exact: true })
      .click();
    await expect(grip(page, 'Summer')).toBeHidden();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(grip(page, 'Summer')).toBeVisible();
  });

  await test.step('search', async () => {
    await page.locator('[data-search]').fill('larger');
    await expect(grip(page, 'Summer')).toBeHidden();
    await expect(grip(page, 'Spring')).toBeVisible();
    await page.locator('[data-search]').fill('nothing like it');
    await expect(page.getByText('No card matches')).toBeVisible();
    await page.locator('[data-search]').fill('');
    await expect(grip(page, 'Summer')).toBeVisible();
  });

  await test.step('fits a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await violations(page)).toEqual([]);
    await expect.poll(() => overflow(page)).toBe(0);
    // A page behind another one draws no frames, and a drag scrolls the board frame by frame.
    await page.bringToFront();
    await grip(page, 'Spring').hover();
    const from = await grip(page, 'Spring').boundingBox();
    if (!from) throw new Error('the card is not on the page');
    await page.mouse.move(from.x + 5, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(385, from.y + 5, { steps: 5 });
    await expect(column(page, 'Done')).toBeInViewport({ ratio: 0.9 });
    await page.mouse.up();
    await expect(column(page, 'Done').getByRole('button', { name: 'Spring', exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Spring', exact: true }).click();
    await expect(page.getByRole('dialog', { name: 'Spring' })).toBeVisible();
    expect(await violations(page)).toEqual([]);
  });
});
