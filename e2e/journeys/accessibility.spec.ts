import { violationsInBothThemes } from './support/axe.ts';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, test } from './support/journey.ts';
import { ORDERS } from './support/orders.ts';

test.use({ contextOptions: { reducedMotion: 'reduce' } });

test('sign-in and registration have no WCAG AA violation', async ({ visitor }) => {
  const page = await visitor();
  for (const address of ['/sign-in', '/register']) {
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await violationsInBothThemes(page)).toEqual([]);
  }
});

test('the lists have no WCAG AA violation', async ({ person }) => {
  const { page } = person;
  await createWorkflow(person, ORDERS);
  for (const address of ['/', '/runs', '/credentials', '/variables', '/teams', '/settings']) {
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await violationsInBothThemes(page), address).toEqual([]);
  }
});

test('the editor has no WCAG AA violation', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, ORDERS);
  await editor.open(workflow.id);
  await editor.run();
  await expect(editor.runPanel.getByText('Success', { exact: true })).toBeVisible();
  expect(await violationsInBothThemes(page), 'run').toEqual([]);
  await editor.choose('priced');
  expect(await violationsInBothThemes(page), 'node').toEqual([]);
  await page.getByRole('tab', { name: 'Outline' }).click();
  await expect(page.getByRole('region', { name: 'Outline' })).toBeVisible();
  expect(await violationsInBothThemes(page), 'outline').toEqual([]);
  await page
    .getByRole('region', { name: 'Workflow', exact: true })
    .getByRole('button', { name: 'Endpoint' })
    .click();
  await expect(page.getByRole('dialog', { name: 'Endpoint' })).toBeVisible();
  expect(await violationsInBothThemes(page), 'endpoint').toEqual([]);
  await page.keyboard.press('Escape');
  await editor.add('Set');
  await page
    .getByRole('region', { name: 'Workflow', exact: true })
    .getByRole('button', { name: 'Publish' })
    .click();
  await expect(
    page.getByRole('dialog', { name: 'Publish' }).getByRole('region', { name: 'Changes' }),
  ).toBeVisible();
  expect(await violationsInBothThemes(page), 'publish').toEqual([]);
});
