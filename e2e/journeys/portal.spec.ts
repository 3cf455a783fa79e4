// Leads through: editor/publish/portal
// cspell:ignore stra
import { violations } from './support/axe.ts';
import { createWorkflow, expect, test } from './support/journey.ts';
import { PIXEL } from './support/pixel.ts';
import { chain, node, openPortal, start } from './support/portal.ts';

const ECHO = chain(start('text'), node('out', 'output', { message: 'You wrote $start.body.text' }));

test('§2.1 §2.6 an owner opens a portal, lets a person in and closes it again', async ({
  person,
  visitor,
}) => {
  const taken = await openPortal(person, ECHO);
  const { id } = await createWorkflow(person, { name: `Straße ${Date.now()}`, ...ECHO });
  const { page } = person;
  await page.goto(`/workflows/${id}`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Portal' }).click();
  const dialog = page.getByRole('dialog', { name: 'Portal' });
  const address = dialog.getByRole('textbox', { name: 'Address' });
  await expect(address).toHaveValue(/^stra-e-\d+$/);
  await dialog.getByRole('switch', { name: 'Portal is on' }).click();

  await address.fill('Not An Address');
  await expect(dialog.getByText('Use lower-case letters, digits and hyphens only.')).toBeVisible();
  await address.fill(taken.path.slice('/chat/'.length));
  await expect(dialog.getByText('Another portal has this address.')).toBeVisible();
  await test.step('other settings are saved without an address that is taken while the portal is off', async () => {
    const appearance = dialog.getByRole('tab', { name: 'Appearance' });
    await appearance.click();
    await expect(dialog.getByText('Address: Another portal has this address.')).toBeVisible();
    await dialog.getByRole('tab', { name: 'Settings' }).click();
    await dialog.getByRole('switch', { name: 'Portal is on' }).click();
    await appearance.click();
    await dialog.getByRole('textbox', { name: 'Welcome text' }).fill('Good day');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const stored = async () => (await person.context.request.get(`/api/workflows/${id}/portal`)).json();
    await expect.poll(stored).toMatchObject({ portal_appearance: { welcome_text: 'Good day' } });
    await dialog.getByRole('tab', { name: 'Settings' }).click();
    await dialog.getByRole('switch', { name: 'Portal is on' }).click();
  });
  const slug = `desk-${Date.now()}`;
  await address.fill('');
  await address.pressSequentially(slug);
  await expect(dialog.getByText('This address is free.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  const link = dialog.getByRole('link', { name: 'Open the chat' });
  await expect(link).toHaveAttribute('href', new RegExp(`/chat/${slug}$`));

  const guest = await visitor();
  await guest.goto(`/chat/${slug}`);
  await expect(guest.getByRole('textbox', { name: 'Message' })).toBeVisible();

  await expect(dialog.getByText('Public: no users yet.')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'User name' }).fill('grace');
  await dialog.getByLabel('Password', { exact: true }).fill('opens the door');
  await dialog.getByRole('button', { name: 'Add user' }).click();
  await expect(dialog.getByRole('listitem')).toContainText('grace');
  expect(await violations(page, { within: '[role=dialog]' })).toEqual([]);

  await dialog.getByRole('button', { name: 'New password' }).click();
  await dialog.getByRole('listitem').getByLabel('Password', { exact: true }).fill('another door');
  await dialog.getByRole('button', { name: 'Set password' }).click();
  await expect(dialog.getByRole('button', { name: 'Set password' })).toBeHidden();
  await guest.reload();
  await guest.getByRole('textbox', { name: 'User name' }).fill('grace');
  await guest.getByLabel('Password', { exact: true }).fill('another door');
  await guest.keyboard.press('Enter');
  await guest.getByRole('textbox', { name: 'Message' }).fill('hello');
  await guest.keyboard.press('Enter');
  await expect(guest.getByText('You wrote hello')).toBeVisible();

  await dialog.getByRole('button', { name: 'End sessions' }).click();
  await expect(page.getByText('grace has to sign in again.')).toBeVisible();
  await guest.reload();
  await expect(guest.getByRole('textbox', { name: 'User name' })).toBeVisible();

  await dialog.getByRole('button', { name: 'Remove' }).click();
  const question = page.getByRole('alertdialog').or(page.getByRole('dialog', { name: 'Remove grace?' }));
  await question.getByRole('button', { name: 'Remove' }).click();
  await expect(dialog.getByText('Public: no users yet.')).toBeVisible();

  await dialog.getByRole('switch', { name: 'Portal is on' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(link).toBeHidden();
  await guest.reload();
  await expect(guest.getByRole('heading', { name: 'There is no chat here' })).toBeVisible();
});

test('an owner reads what visitors wrote, leads to its runs, and limits the messages of each', async ({
  person,
  visitor,
}) => {
  const { id, path } = await openPortal(person, ECHO);
  const { page } = person;
  const open = async () => {
    await page.goto(`/workflows/${id}`);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Portal' }).click();
  };
  await open();
  const dialog = page.getByRole('dialog', { name: 'Portal' });
  await dialog.getByRole('tab', { name: 'Conversations' }).click();
  await expect(dialog.getByText('No conversation yet.')).toBeVisible();

  const guest = await visitor();
  await guest.goto(path);
  await guest.getByRole('textbox', { name: 'Message' }).fill('where is my order?');
  await guest.keyboard.press('Enter');
  await expect(guest.getByText('You wrote where is my order?')).toBeVisible();

  await open();
  await dialog.getByRole('spinbutton', { name: 'Messages per visitor' }).fill('1');
  await dialog.getByRole('spinbutton', { name: 'Period in seconds' }).fill('600');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const saved = async () => (await person.context.request.get(`/api/workflows/${id}/portal`)).json();
  await expect.poll(saved).toMatchObject({
    portal_rate_limit_requests: 1,
    portal_rate_limit_window_seconds: 600,
  });
  await dialog.getByRole('tab', { name: 'Conversations' }).click();
  const entry = dialog.getByRole('listitem').getByRole('button');
  await expect(entry).toContainText('where is my order?');
  await expect(entry).toContainText(/Visitor [0-9a-f]{6}/);
  await entry.focus();
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('You wrote where is my order?')).toBeVisible();
  expect(await violations(page, { within: '[role=dialog]' })).toEqual([]);
  await expect(dialog.getByRole('link', { name: 'Show the run' })).toHaveAttribute('href', /\/runs\//);
  await dialog.getByRole('tab', { name: 'Usage' }).click();
  await expect(dialog.getByRole('row', { name: /^Total 1 1 0 0/ })).toBeVisible();
  expect(await violations(page, { within: '[role=dialog]' })).toEqual([]);
  await dialog.getByRole('tab', { name: 'Visitors' }).click();
  const visitorRow = dialog.getByRole('listitem').getByRole('button', { name: /^Visitor [0-9a-f]{6}/ });
  await expect(visitorRow).toContainText('1 message');
  expect(await violations(page, { within: '[role=dialog]' })).toEqual([]);
  await visitorRow.click();
  await dialog.getByRole('button', { name: /^where is my order/ }).click();
  await expect(dialog.getByText('You wrote where is my order?')).toBeVisible();
  await dialog.getByRole('button', { name: 'Delete conversation' }).click();
  const question = page.getByRole('alertdialog').or(page.getByRole('dialog', { name: /^Delete this/ }));
  await question.getByRole('button', { name: 'Delete conversation' }).click();
  await expect(dialog.getByText('No conversation yet.')).toBeVisible();

  await guest.getByRole('button', { name: 'New chat' }).click();
  for (const text of ['first', 'second']) {
    await expect(guest.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
    await guest.getByRole('textbox', { name: 'Message' }).fill(text);
    await guest.keyboard.press('Enter');
  }
  await expect(guest.getByText('You wrote first')).toBeVisible();
  await expect(guest.getByText('You have sent many messages in a short time.')).toBeVisible();
});

test('an owner designs the chat and sees it before it is saved', async ({ person, visitor }) => {
  const { id, path } = await openPortal(person, ECHO);
  const { page } = person;
  await page.goto(`/workflows/${id}`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Portal' }).click();
  const dialog = page.getByRole('dialog', { name: 'Portal' });
  await dialog.getByRole('tab', { name: 'Appearance' }).click();
  const preview = dialog.frameLocator('iframe');
  await expect(preview.getByText('Ask about your order.')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Welcome text' }).fill('Hello **there**');
  await expect(preview.getByText('Hello there')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Suggestions' }).fill('Where is it?\nMay I return it?');
  await preview.getByRole('button', { name: 'May I return it?' }).click();
  await expect(preview.getByText('This is a preview: messages are not sent.')).toBeVisible();
  await dialog.getByRole('checkbox', { name: 'A colour of your own' }).click();
  await dialog.getByLabel('Colour', { exact: true }).fill('#7a1fa2');
  const opened = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'Choose a logo' }).click();
  await (await opened).setFiles({ name: 'logo.png', mimeType: 'image/png', buffer: PIXEL });
  await expect(dialog.getByRole('img', { name: 'Logo' })).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Message for out' }).fill('Writing an answer');
  expect(await violations(page, { within: '[role=dialog]' })).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  const saved = async () => (await person.context.request.get(`/api/workflows/${id}/portal`)).json();
  await expect.poll(saved).toMatchObject({
    portal_appearance: {
      accent_color: '#7a1fa2',
      logo: expect.stringMatching(/^data:image\/png/),
      suggestions: ['Where is it?', 'May I return it?'],
      progress_messages: { out: 'Writing an answer' },
    },
  });
  const guest = await visitor();
  await guest.goto(path);
  await guest.getByRole('button', { name: 'Where is it?' }).click();
  await expect(guest.getByText('You wrote Where is it?')).toBeVisible();
});

test('§2.1 visitors attach text files to the fields that take them, up to their size', async ({
  person,
  visitor,
}) => {
  const { id, path } = await openPortal(person, ECHO);
  const guest = await visitor();
  await guest.goto(path);
  await expect(guest.getByRole('textbox', { name: 'Message' })).toBeVisible();
  await expect(guest.getByRole('button', { name: 'Attach a text file' })).toHaveCount(0);

  const { page } = person;
  await page.goto(`/workflows/${id}`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Portal' }).click();
  const dialog = page.getByRole('dialog', { name: 'Portal' });
  await dialog.getByRole('switch', { name: 'Visitors may attach files' }).click();
  await dialog.getByRole('checkbox', { name: 'text' }).click();
  await dialog.getByRole('spinbutton', { name: 'Largest file of text in MB' }).fill('1');
  expect(await violations(page, { within: '[role=dialog]' })).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  const saved = async () => (await person.context.request.get(`/api/workflows/${id}/portal`)).json();
  await expect.poll(saved).toMatchObject({
    portal_file_upload_enabled: true,
    portal_file_config: { text: { file_upload_enabled: true, allowed_types: ['text'], max_size_mb: 1 } },
  });

  await guest.reload();
  const choose = async (name: string, mimeType: string, content: string) => {
    const opened = guest.waitForEvent('filechooser');
    await guest.getByRole('button', { name: 'Attach a text file' }).click();
    await (await opened).setFiles({ name, mimeType, buffer: Buffer.from(content) });
  };
  await choose('large.txt', 'text/plain', 'x'.repeat(1024 * 1024 + 1));
  await expect(guest.getByText(/large\.txt is larger than/)).toBeVisible();
  await choose('picture.png', 'image/png', 'not a text');
  await expect(guest.getByText('picture.png is not a text file.')).toBeVisible();
  await choose('note.txt', 'text/plain', 'from a file');
  const message = guest.getByRole('textbox', { name: 'Message' });
  await expect(message).toHaveValue('from a file');
  await message.press('Enter');
  await expect(guest.getByText('You wrote from a file')).toBeVisible();
});
