// Leads through: pages/settings
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newPkce } from '../support/oauth-flow.ts';
import { violationsInBothThemes } from './support/axe.ts';
import { expect, test } from './support/journey.ts';

/** The address of a client, at which it waits for its code. */
async function listenAsClient(): Promise<{ redirect: string; close: () => void }> {
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('back at the client'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { redirect: `http://127.0.0.1:${port}/callback`, close: () => server.close() };
}

test('a client is authorized on the consent page, listed in the settings, and revoked there', async ({
  person,
}) => {
  const { page, context } = person;
  const { redirect, close } = await listenAsClient();
  const registered = await context.request.post('/register', {
    data: { redirect_uris: [redirect], client_name: 'Notebook' },
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const { code_verifier, code_challenge } = newPkce();
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: redirect,
    state: 'st',
    code_challenge_method: 'S256',
    code_challenge,
  });
  await page.goto(`/authorize?${query.toString()}`);
  await expect(page.getByText('Notebook asks to use your workflows')).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Allow' }).click();
  await expect(page.getByText('back at the client')).toBeVisible();
  close();
  const code = new URL(page.url()).searchParams.get('code') ?? '';
  const exchange = await context.request.post('/token', {
    form: { grant_type: 'authorization_code', code, redirect_uri: redirect, client_id, code_verifier },
  });
  const { access_token } = (await exchange.json()) as { access_token: string };
  const callTools = () =>
    context.request.post('/api/mcp', {
      headers: { authorization: `Bearer ${access_token}`, accept: 'application/json, text/event-stream' },
      data: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    });
  expect((await callTools()).status()).toBe(200);

  await page.goto('/settings?tab=security');
  await expect(page.getByRole('listitem').filter({ hasText: 'Notebook' })).toContainText(
    new URL(redirect).host,
  );
  await page.getByRole('button', { name: 'Revoke access of Notebook' }).click();
  await expect(page.getByText('You have not authorized any client.')).toBeVisible();
  expect((await callTools()).status()).toBe(401);
});
