// Leads through: chat
import { violations } from './support/axe.ts';
import { answers, ask, ECHO, isIdle, messageBox } from './support/chat.ts';
import { expect, test } from './support/journey.ts';
import { openPortal } from './support/portal.ts';

test('§4.4 past conversations are listed, opened and deleted', async ({ person, visitor }) => {
  const { id, path } = await openPortal(person, ECHO);
  const page = await visitor();
  await page.goto(path);
  await expect(messageBox(page)).toBeFocused();
  const past = page.getByRole('button', { name: 'Past conversations' });
  await expect(past).toBeHidden();
  await ask(page, 'about pens');
  await expect(answers(page)).toContainText('0: about pens');
  await isIdle(page);
  await page.getByRole('button', { name: 'New chat' }).click();
  await expect(answers(page)).toHaveCount(0);
  await expect(messageBox(page)).toBeFocused();
  await ask(page, 'about ink');
  await expect(answers(page)).toContainText('0: about ink');
  await isIdle(page);

  await past.click();
  const dialog = page.getByRole('dialog', { name: 'Past conversations' });
  await expect(dialog.getByRole('listitem')).toHaveCount(2);
  await expect(dialog.getByRole('listitem').first()).toContainText('about ink');
  expect(await violations(page, { within: 'dialog' })).toEqual([]);
  await dialog.getByRole('button', { name: /^about pens/ }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(answers(page)).toContainText('0: about pens');
  await ask(page, 'more');
  await expect(answers(page).nth(1)).toContainText('2: more');
  await page.reload();
  await expect(answers(page)).toHaveCount(2);

  // Another window of the same browser has the same conversations; another browser has none.
  const second = await page.context().newPage();
  await second.goto(path);
  await expect(answers(second)).toHaveCount(2);
  const stranger = await visitor();
  await stranger.goto(path);
  await expect(messageBox(stranger)).toBeFocused();
  await expect(stranger.getByRole('button', { name: 'Past conversations' })).toBeHidden();

  await past.click();
  await dialog.getByRole('button', { name: 'Delete: about ink' }).click();
  await dialog.getByRole('button', { name: 'Delete for good: about ink' }).click();
  await expect(dialog.getByRole('listitem')).toHaveCount(1);
  await dialog.getByRole('button', { name: 'Delete: about pens' }).click();
  await dialog.getByRole('button', { name: 'Delete for good: about pens' }).click();
  await expect(dialog.getByText('There is no conversation yet.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(answers(page)).toHaveCount(0);
  const kept = await person.context.request.get(`/api/workflows/${id}/portal/conversations`);
  expect(await kept.json()).toMatchObject({ total: 0 });
});
