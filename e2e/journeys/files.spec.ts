import { readFileSync } from 'node:fs';
import { expect, test } from './support/journey.ts';

const TEXT = 'Kept for the audit of 2026, with an é in it.';

test('files are uploaded, found, shared by a link with bounds, saved and deleted', async ({
  person,
  visitor,
  product,
}) => {
  const { page } = person;
  await page.goto('/files');

  await test.step('upload', async () => {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload' }).first().click();
    await (await chooser).setFiles([
      { name: 'readme.txt', mimeType: 'text/plain', buffer: Buffer.from(TEXT) },
      { name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from('id,total\n1,48\n') },
    ]);
    await expect(page.getByRole('button', { name: 'readme.txt', exact: true })).toBeVisible();
    await expect(page.getByRole('button', { name: 'orders.csv', exact: true })).toBeVisible();
  });

  await test.step('search', async () => {
    await page.getByRole('textbox', { name: 'Search files' }).fill('readme');
    await expect(page.getByRole('button', { name: 'orders.csv', exact: true })).toBeHidden();
  });

  await test.step('save', async () => {
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'readme.txt', exact: true }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('readme.txt');
    expect(readFileSync(await file.path(), 'utf8')).toBe(TEXT);
  });

  await test.step('a link with a password for a person without an account', async () => {
    await page.getByRole('button', { name: 'Actions for readme.txt' }).click();
    await page.getByRole('menuitem', { name: 'Links and sharing…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share “readme.txt”' });
    await dialog.getByRole('textbox', { name: /^Maximum downloads/ }).fill('1');
    await dialog.getByLabel(/^Password/).fill('open-sesame');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const row = dialog.getByRole('listitem').filter({ hasText: '0 of 1 downloads' });
    await expect(row.getByText('password')).toBeVisible();
    const address = await row.getByText(product.url).innerText();
    const stranger = (await visitor()).context().request;
    expect((await stranger.get(address)).status()).toBe(401);
    const authorization = `Basic ${Buffer.from('file:open-sesame').toString('base64')}`;
    const answer = await stranger.get(address, { headers: { authorization } });
    expect(await answer.text()).toBe(TEXT);
    expect((await stranger.get(address, { headers: { authorization } })).status()).not.toBe(200);
    await page.keyboard.press('Escape');
  });

  await test.step('several at once, and deleted', async () => {
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByRole('checkbox', { name: 'Select readme.txt' }).click();
    await page.getByRole('checkbox', { name: 'Select orders.csv' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download 2' }).click();
    expect(
      readFileSync(await (await saved).path())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
    await page.getByRole('button', { name: 'Delete 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('No files yet')).toBeVisible();
  });
});
