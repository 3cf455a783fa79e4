import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './support/axe.ts';
import { createWorkflow, expect, test } from './support/journey.ts';
import { overflow } from './support/overflow.ts';
import { BREAKS, execute } from './support/seed.ts';

const figure = (page: Page, name: string) =>
  page.locator('dl > div').filter({ has: page.locator('dt', { hasText: name }) });

test.use({ contextOptions: { reducedMotion: 'reduce' } });

test('runs are counted, looked at closer by dragging and by the table, and by workflow', async ({
  person,
}) => {
  const { page } = person;
  await page.goto('/');
  await page.getByRole('link', { name: 'Analytics' }).click();
  await expect(page.getByRole('heading', { name: 'Analytics', level: 1 })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No runs ended in this period' })).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);

  const breaks = await createWorkflow(person, BREAKS);
  for (const number of ['1', '2', '3']) await execute(person, breaks.id, { number });
  await page.reload();
  await expect(figure(page, 'Runs')).toContainText('3');
  await expect(figure(page, 'Failed')).toContainText('3');
  const failing = page.getByRole('table', { name: 'Workflows with the most failures' });
  await expect(failing.getByRole('link', { name: breaks.name })).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);

  await test.step('drag over the newest bars', async () => {
    const chart = page.locator('[data-chart="runs"]');
    await expect(chart).toHaveAccessibleName(/^3 runs, 3 of them failed/);
    // Hovering waits until the chart stays in its place.
    await chart.hover({ position: { x: 1, y: 50 } });
    const box = await chart.boundingBox();
    if (!box) throw new Error('the chart is not shown');
    await page.mouse.move(box.x + box.width * 0.7, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await expect(page).toHaveURL(/from=.*to=/);
    await expect(chart).toHaveAccessibleName(/^3 runs, 3 of them failed/);
    await page.getByRole('button', { name: 'Reset zoom' }).click();
    await expect(page).not.toHaveURL(/from=/);
  });

  await test.step('the table and its way closer, by keyboard', async () => {
    await page.getByRole('radio', { name: 'Table' }).click();
    const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: /^Zoom in on/ }) });
    // Where an hour ended between the runs, the newest row has only some of them.
    const runs = await row.first().getByRole('cell').nth(1).innerText();
    await row.first().getByRole('button').press('Enter');
    await expect(page).toHaveURL(/from=/);
    await expect(figure(page, 'Runs')).toContainText(runs);
    expect(await violationsInBothThemes(page)).toEqual([]);
  });

  await test.step('one workflow, from its runs and back', async () => {
    await page.goto(`/runs?workflow=${breaks.id}`);
    await page.getByRole('main').getByRole('link', { name: 'Analytics' }).click();
    await expect(page).toHaveURL(new RegExp(`/analytics\\?workflow=${breaks.id}`));
    await expect(figure(page, 'Success rate')).toContainText('100% failed');
    await expect(failing).toHaveCount(0);
    await page.getByRole('link', { name: 'Show runs' }).click();
    await expect(page).toHaveURL(new RegExp(`/runs\\?.*workflow=${breaks.id}`));
  });

  await test.step('on a phone nothing is cut off', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/analytics');
    await expect(figure(page, 'Runs')).toContainText('3');
    expect(await violationsInBothThemes(page)).toEqual([]);
    await expect.poll(() => overflow(page)).toBe(0);
  });
});
