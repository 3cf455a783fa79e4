// Leads through: pages/triggers
import { violationsInBothThemes } from './support/axe.ts';
import { createWorkflow, expect, test } from './support/journey.ts';

const clock = (cronExpression: string) => ({
  id: crypto.randomUUID(),
  type: 'cron',
  position: { x: 0, y: 0 },
  data: { label: 'clock', cronExpression },
});

test('due times are looked up in the calendar, and a schedule is paused, resumed and run now', async ({
  person,
}) => {
  const { page } = person;
  await page.goto('/');
  await page.getByRole('link', { name: 'Schedules' }).press('Enter');
  await expect(page.getByText('Nothing is scheduled in this period')).toBeVisible();

  await createWorkflow(person, { name: 'Morning report', nodes: [clock('30 8 * * *')] });
  await createWorkflow(person, { name: 'Heartbeat', nodes: [clock('0 * * * *')] });
  await page.getByRole('button', { name: 'Next month' }).click();
  const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  await expect(page.getByText(`Times in ${zone}`)).toBeVisible();
  const cells = page.getByRole('table', { name: 'Schedules' }).getByRole('cell');
  await expect(cells.nth(10).getByRole('link', { name: /Morning report/ })).toBeVisible();
  await expect(cells.nth(10).getByRole('link', { name: /Heartbeat.*24 times/ })).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);
  await cells.nth(10).getByRole('button').first().press('Enter');
  await expect(page.getByRole('link', { name: /Heartbeat/ })).toHaveCount(24);
  await page.getByRole('link', { name: /Morning report/ }).click();
  await expect(page).toHaveURL(/\/workflows\//);

  await page.goto('/triggers');
  await page.getByRole('textbox', { name: 'Search triggers' }).pressSequentially('morn', { delay: 60 });
  const row = page.getByRole('row').filter({ hasText: 'Morning report' });
  await expect(row).toContainText('Ready');
  await expect(page.getByRole('row').filter({ hasText: 'Heartbeat' })).toHaveCount(0);
  const actions = row.getByRole('button', { name: 'Actions for Morning report' });
  await actions.press('Enter');
  await page.getByRole('menuitem', { name: 'Run now' }).press('Enter');
  await expect(page.getByText('Run of “Morning report” started')).toBeVisible();
  await expect(row).toContainText(/seconds? ago|now/);
  await actions.click();
  await page.getByRole('menuitem', { name: 'Pause' }).click();
  await expect(row).toContainText('Paused');
  await row.getByText('Paused').click();
  await expect(page.getByRole('dialog')).toContainText('Morning report');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await actions.click();
  await page.getByRole('menuitem', { name: 'Resume' }).click();
  await expect(row).toContainText('Ready');
});
