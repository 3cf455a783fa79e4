// Leads through: chat, editor/publish/portal
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { violations } from './support/axe.ts';
import { ECHO } from './support/chat.ts';
import { expect, test } from './support/journey.ts';
import { overflow } from './support/overflow.ts';
import { openPortal } from './support/portal.ts';

/** A page of another site, which allows nothing but the server of the chat. */
async function otherSite(server: string, body: string): Promise<{ origin: string; close: () => void }> {
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; script-src ${server}; frame-src ${server}`,
    );
    response.end(
      `<!doctype html><html lang="en"><title>Shop</title><body><main><h1>Shop</h1>${body}</main></html>`,
    );
  });
  await new Promise<void>((resolve) => {
    site.listen(0, '127.0.0.1', resolve);
  });
  const { port } = site.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => site.close() };
}

const getOrigin = (page: Page): string => new URL(page.url()).origin;
const chat = (page: Page) => page.frameLocator('iframe[title="Chat"]');

test('a chat opens as a bubble on the page of another site, by keyboard and without cookies', async ({
  person,
  visitor,
}) => {
  await person.page.goto('/');
  const server = getOrigin(person.page);
  const { id, path } = await openPortal(person, ECHO);
  const site = await otherSite(server, `<script async src="${server}${path}/embed.js"></script>`);
  const page = await visitor();
  await page.goto(site.origin);
  const button = page.getByRole('button', { name: 'Open chat' });
  await expect(button).toHaveAttribute('aria-expanded', 'false');
  expect(await violations(page)).toEqual([]);

  // The owner has not allowed this site.
  await button.click();
  await expect(page.getByRole('dialog', { name: 'Chat' })).toBeVisible();
  await expect(chat(page).getByRole('textbox', { name: 'Message' })).toHaveCount(0);

  await person.page.goto(`/workflows/${id}`);
  await person.page.getByRole('button', { name: 'More', exact: true }).click();
  await person.page.getByRole('menuitem', { name: 'Portal' }).click();
  const dialog = person.page.getByRole('dialog', { name: 'Portal' });
  await dialog.getByRole('tab', { name: 'Embedding' }).click();
  await expect(dialog.getByText(`${server}${path}/embed.js`)).toBeVisible();
  const origins = dialog.getByRole('textbox', { name: 'Sites that may show the chat' });
  await origins.fill(`${site.origin}/shop`);
  await expect(dialog.getByText(`${site.origin}/shop is not an origin.`)).toBeVisible();
  expect(await violations(person.page, { within: '[role=dialog]' })).toEqual([]);
  await origins.fill(`${site.origin}/`);
  await dialog.getByRole('button', { name: 'Save sites' }).click();
  const saved = async () => (await person.context.request.get(`/api/workflows/${id}/portal`)).json();
  await expect.poll(saved).toMatchObject({ portal_allowed_origins: [site.origin] });

  await page.reload();
  await button.focus();
  await page.keyboard.press('Enter');
  const message = chat(page).getByRole('textbox', { name: 'Message' });
  await expect(message).toBeFocused();
  await page.keyboard.type('from the shop');
  await page.keyboard.press('Enter');
  await expect(chat(page).getByRole('article', { name: 'Answer' })).toContainText('0: from the shop');
  expect(await page.context().cookies()).toEqual([]);

  // Escape in the chat closes the bubble around it.
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Chat' })).toBeHidden();
  await expect(button).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(chat(page).getByRole('article', { name: 'Answer' })).toContainText('0: from the shop');
  await page.getByRole('button', { name: 'Close chat' }).click();
  await expect(page.getByRole('dialog', { name: 'Chat' })).toBeHidden();
  await page.reload();
  await button.click();
  await expect(chat(page).getByRole('article', { name: 'Answer' })).toContainText('0: from the shop');
  site.close();
});

test.describe('on a phone', () => {
  test.use({ contextOptions: { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true } });

  test('the bubble covers the page but its own button', async ({ person, visitor }) => {
    await person.page.goto('/');
    const server = getOrigin(person.page);
    const { id, path } = await openPortal(person, ECHO);
    const site = await otherSite(
      server,
      `<script async src="${server}${path}/embed.js?label=Ask%20us&position=left"></script>`,
    );
    await person.context.request.put(`/api/workflows/${id}/portal`, {
      data: { portal_allowed_origins: [site.origin] },
    });
    const page = await visitor();
    await page.goto(site.origin);
    await page.getByRole('button', { name: 'Ask us' }).tap();
    await expect(chat(page).getByRole('textbox', { name: 'Message' })).toBeVisible();
    await expect.poll(() => overflow(page)).toBe(0);
    await page.getByRole('button', { name: 'Close chat' }).tap();
    await expect(page.getByRole('button', { name: 'Ask us' })).toBeVisible();
    site.close();
  });
});

test('a chat is part of a page in a frame', async ({ person, visitor }) => {
  await person.page.goto('/');
  const server = getOrigin(person.page);
  const { path } = await openPortal(person, ECHO, { portal_allowed_origins: ['*'] });
  const site = await otherSite(server, `<iframe src="${server}${path}" title="Chat"></iframe>`);
  const page = await visitor();
  await page.goto(site.origin);
  await chat(page).getByRole('textbox', { name: 'Message' }).fill('in a frame');
  await page.keyboard.press('Enter');
  await expect(chat(page).getByRole('article', { name: 'Answer' })).toContainText('0: in a frame');
  site.close();
});
