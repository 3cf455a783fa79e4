// Leads through: pages/mcp
import { violations } from './support/axe.ts';
import { expect, test } from './support/journey.ts';

test('the open session of a client is listed and ended', async ({ person }) => {
  const { page, context } = person;
  await page.goto('/mcp');
  await expect(page.getByText('No client holds a stream open')).toBeVisible();
  const made = await context.request.post('/api/mcp/regenerate-key');
  const { mcp_api_key } = (await made.json()) as { mcp_api_key: string };
  const base = new URL(page.url()).origin;
  const stream = await fetch(`${base}/api/mcp/sse`, { headers: { 'x-mcp-key': mcp_api_key } });
  const reader = stream.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  const [, address = ''] = /^data: (.+)$/m.exec(new TextDecoder().decode(value)) ?? [];
  const clientInfo = { name: 'Desk client', version: '1' };
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo };
  const data = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  expect((await context.request.post(address, { data })).status()).toBe(202);
  await page.reload();
  const sessions = page.getByRole('list', { name: 'Active sessions' });
  await expect(sessions.getByText('Desk client')).toBeVisible();
  await expect(sessions.getByText('no call yet')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await sessions.getByRole('button', { name: 'End the session of Desk client' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('No client holds a stream open')).toBeVisible();
  expect((await context.request.post(address, { data })).status()).toBe(401);
  await reader?.cancel();
});
