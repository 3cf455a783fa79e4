// Leads through: pages/triggers
import { violations } from './support/axe.ts';
import { createWorkflow, expect, test } from './support/journey.ts';

const node = (type: string, data: object = {}) => ({
  id: crypto.randomUUID(),
  type,
  position: { x: 0, y: 0 },
  data: { label: type, ...data },
});

test('an alert is created, edited by keyboard and deleted', async ({ person }) => {
  const { page } = person;
  await createWorkflow(person, { name: 'Orders', nodes: [node('textInput')] });
  await createWorkflow(person, { name: 'Call for help', nodes: [node('textInput')] });
  await page.goto('/triggers');
  await page.getByRole('button', { name: 'Alerts' }).press('Enter');
  await expect(page.getByText('No alerts yet')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'New alert' }).click();

  const form = page.getByRole('dialog');
  await form.getByLabel('Name').pressSequentially('Quiet orders');
  const choose = async (label: string, choice: string) => {
    await form.getByLabel(label).click();
    await page.getByRole('option', { name: choice, exact: true }).click();
  };
  await choose('Watched workflow', 'Orders');
  await choose('Condition', 'Silence');
  await choose('Start workflow', 'Call for help');
  await form.getByLabel('Window in minutes').fill('120');
  await form.getByLabel('Sat').press('Space');
  await form.getByLabel('Sun').click();
  await form.getByRole('textbox', { name: /^Time zone/ }).fill('Berlin');
  expect(await violations(page)).toEqual([]);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByText(/^must be the name of a time zone/)).toBeVisible();
  await form.getByRole('textbox', { name: /^Time zone/ }).fill('Europe/Berlin');
  await form.getByRole('button', { name: 'Save' }).press('Enter');

  const item = page.getByRole('dialog', { name: 'Alerts' }).getByRole('listitem');
  await expect(item).toContainText('Orders: no run for 120 min');
  await expect(item).toContainText('Starts Call for help');
  await item.getByRole('button', { name: 'Edit “Quiet orders”' }).press('Enter');
  await expect(form.getByLabel('Sat')).not.toBeChecked();
  await form.getByLabel('Window in minutes').fill('60');
  await form.getByLabel('Window in minutes').press('Enter');
  await expect(item).toContainText('no run for 60 min');
  expect(await violations(page)).toEqual([]);
  await item.getByRole('button', { name: 'Delete “Quiet orders”' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('No alerts yet')).toBeVisible();
});
