// Leads through: pages/mcp
import { violationsInBothThemes } from './support/axe.ts';
import { createWorkflow, expect, test } from './support/journey.ts';

const KEY_MS = 40;
const WEATHER = {
  name: 'Weather',
  description: 'How it will be',
  nodes: [
    {
      id: 'start',
      type: 'textInput',
      data: { label: 'start', inputFields: [{ key: 'city' }] },
      position: { x: 0, y: 0 },
    },
    {
      id: 'out',
      type: 'output',
      data: { label: 'out', message: 'Sun in $start.city' },
      position: { x: 300, y: 0 },
    },
  ],
  edges: [{ id: 'e', source: 'start', target: 'out' }],
};

test('a server is created, given a workflow, tried in the inspector, used by a client and deleted', async ({
  person,
}) => {
  const { page, context } = person;
  await page.goto('/mcp');
  await expect(page.getByText('You have no workflow yet')).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);

  const { id } = await createWorkflow(person, WEATHER);
  await page.reload();
  await expect(page.getByRole('switch', { name: 'Offer Weather' })).not.toBeChecked();
  await page.getByRole('heading', { name: 'MCP', exact: true }).click();
  await page.keyboard.press('n', { delay: KEY_MS });
  await page.getByRole('dialog').getByLabel('Name').pressSequentially('Forecasts', { delay: KEY_MS });
  await page.keyboard.press('Enter');

  await test.step('its key is shown once, in the configuration as well', async () => {
    await expect(page.getByRole('combobox', { name: 'Server' })).toHaveText('Forecasts');
    const key = await page.getByLabel('New key').inputValue();
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    const config = page.getByRole('region', { name: 'Configuration for Claude Code' });
    await expect(config).toContainText('millrace-forecasts');
    await expect(config).toContainText(key);
    await page.getByRole('switch', { name: 'Offer Weather' }).focus();
    await page.keyboard.press('Space', { delay: KEY_MS });
    await expect(page.getByText('Tool weather')).toBeVisible();
    const url = await page.getByLabel('Address', { exact: true }).inputValue();
    const answer = await context.request.post(url, {
      headers: { 'x-mcp-key': key, accept: 'application/json, text/event-stream' },
      data: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    });
    expect(await answer.text()).toContain('"weather"');
  });

  await test.step('the schema is what clients see', async () => {
    await page.getByText('What clients see').click();
    const schema = page.getByRole('region', { name: 'What clients see of Weather' });
    for (const part of ['"city"', 'How it will be', 'readOnlyHint']) await expect(schema).toContainText(part);
    expect(await violationsInBothThemes(page)).toEqual([]);
  });

  await test.step('the inspector calls the tool and shows the frames', async () => {
    await page.getByRole('combobox', { name: 'Request' }).click();
    await page.getByRole('option', { name: 'Call a tool' }).click();
    await page.getByRole('combobox', { name: 'Tool' }).click();
    await page.getByRole('option', { name: 'Weather' }).click();
    const input = page.getByLabel('Arguments (JSON)');
    await expect(input).toHaveValue(/"city": ""/);
    await input.fill('{');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(page.getByText('Must be a JSON object')).toBeVisible();
    await input.fill('{"city": "Ulm"}');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const frames = page.getByRole('list', { name: 'Frames' });
    await expect(frames.getByRole('region', { name: 'Request' })).toContainText('tools/call');
    await expect(frames.getByRole('region', { name: 'Answer' })).toContainText('Sun in Ulm');
    await expect(frames.getByRole('region', { name: 'Notification' }).first()).toBeVisible();
  });

  await test.step('a renamed workflow keeps the name of its tool until the new one is asked for', async () => {
    await context.request.put(`/api/workflows/${id}`, { data: { name: 'Outlook' } });
    await page.reload();
    await page.getByRole('combobox', { name: 'Server' }).click();
    await page.getByRole('option', { name: 'Forecasts' }).click();
    await expect(page.getByText('Tool weather')).toBeVisible();
    await page.getByRole('button', { name: 'Use the new name of Outlook' }).click();
    await expect(page.getByText('Tool outlook')).toBeVisible();
    await expect(page.getByText('would be called')).toBeHidden();
  });

  await test.step('on a phone nothing is wider than the screen', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await violationsInBothThemes(page)).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  await test.step('the default server does not offer the workflow, and the new one is deleted', async () => {
    await page.getByRole('button', { name: 'Actions for Forecasts' }).click();
    await page.getByRole('menuitem', { name: 'Delete server' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete server' }).click();
    await expect(page.getByRole('combobox', { name: 'Server' })).toHaveText('Default server');
    await expect(page.getByRole('switch', { name: 'Offer Outlook' })).not.toBeChecked();
  });
});
