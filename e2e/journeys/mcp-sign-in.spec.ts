// Leads through: pages/credentials, features/credential
import { startAuthorizationServer } from '../../apps/server/src/testing/authorization-server.ts';
import { startMcpServer } from '../../packages/nodes/src/testing/servers/mcp-server.ts';
import { expect, test } from './support/journey.ts';

/** A product that may call the servers of this test on the same machine. */

test('a person signs in to an MCP server that requires it, in a separate window', async ({ person }) => {
  const { page } = person;
  const provider = await startAuthorizationServer({
    client_id: 'unused',
    client_secret: 'unused',
    redirect_uri: /\/api\/credentials\/mcp\/oauth\/callback$/,
    registration: 'open',
    iss: 'own',
    asks: true,
  });
  const { accepts, url: authorization_server } = provider;
  const tools = await startMcpServer({ guard: { authorization_server, accepts } });
  await page.goto('/credentials');

  await test.step('the credential asks only for the address of the server', async () => {
    await page.getByRole('button', { name: 'New credential' }).first().click();
    await page.getByRole('button', { name: 'MCP server' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Tools');
    await page.getByLabel('Server URL').fill(tools.url);
    await page.getByRole('combobox', { name: 'Sign-in' }).click();
    await page.getByRole('option', { name: 'oauth' }).click();
    await expect(page.getByLabel('Bearer token')).toHaveCount(0);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
  });

  await test.step('the window leads to the place that the server names', async () => {
    const opened = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    const popup = await opened;
    await popup.getByRole('link', { name: 'Allow' }).click();
    await expect(page.getByText('Connected as ada@example.org')).toBeVisible();
  });

  await test.step('the server takes the token', async () => {
    await page.getByRole('button', { name: 'Test connection' }).click();
    await expect(page.getByText('The service accepted it')).toBeVisible();
  });
  await tools.close();
  provider.close();
});
