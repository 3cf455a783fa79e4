import { expect } from '../support/journey.ts';
import { chain, node, openPortal, start } from '../support/portal.ts';
import { everyLook } from './looks.ts';

const ANSWER = [
  'Your order **4711** left our warehouse this morning. Here is what is in it:',
  '',
  '| Item | Number | Price |',
  '|---|---:|---:|',
  '| Fountain pen | 1 | 24.00 € |',
  '| Ink, blue | 3 | 9.60 € |',
  '',
  '## What happens next',
  '',
  '1. The parcel service calls you before it comes.',
  '2. You can change the address [here](https://example.com/address).',
  '',
  '```js',
  "const order = await fetch('/orders/4711');",
  '```',
].join('\n');

const SERVICE = { name: 'Order service', description: 'Ask about your order, a delivery or a return.' };
const answers = (...fields: Parameters<typeof start>) => ({
  ...SERVICE,
  ...chain(start(...fields), node('out', 'output', { message: ANSWER })),
});

everyLook('the chat of a portal', async ({ join, visitor, take }) => {
  const person = await join();
  const page = await visitor();
  await page.goto((await openPortal(person, answers('text'))).path);
  await take(page, 'chat-empty');
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.fill('Where is my order 4711?');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('article', { name: 'Answer' })).toContainText('Fountain pen');
  await take(page, 'chat-answer');

  const asking = {
    ...SERVICE,
    ...chain(
      start('text', { key: 'photo', defaultValue: null, type: 'file' }),
      node('ask', 'humanReview', { summary: 'May we send this?', draft: ANSWER }),
    ),
  };
  const own = await openPortal(person, asking, {
    portal_file_upload_enabled: true,
    portal_appearance: {
      welcome_text: 'Ask **anything** about your order.',
      suggestions: ['Where is my order?', 'May I return it?'],
      accent_color: '#b3402a',
      reviews_in_chat: true,
    },
  });
  await page.goto(own.path);
  await take(page, 'chat-own-look');
  await page.getByRole('button', { name: 'May I return it?' }).click();
  await expect(page.getByRole('heading', { name: 'May we send this?' })).toBeVisible();
  await take(page, 'chat-review');

  const form = answers(
    'question',
    { key: 'maxResults', defaultValue: 3 },
    { key: 'includeReturns', defaultValue: true },
  );
  await page.goto((await openPortal(person, form)).path);
  await page.getByRole('textbox', { name: 'Question' }).fill('Which orders are open?');
  await take(page, 'chat-fields');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('article', { name: 'Answer' })).toBeVisible();
  await take(page, 'chat-fields-answer');

  const { id, path } = await openPortal(person, answers('text'));
  const user = { username: 'grace', password: 'opens the door' };
  await person.context.request.post(`/api/workflows/${id}/portal/users`, { data: user });
  await page.goto(path);
  await page.getByRole('textbox', { name: 'User name' }).fill('grace');
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).not.toBeEmpty();
  await take(page, 'chat-sign-in');

  await person.page.goto(`/workflows/${id}`);
  await person.page.getByRole('button', { name: 'More', exact: true }).first().click();
  await person.page.getByRole('menuitem', { name: 'Portal' }).click();
  await expect(person.page.getByRole('listitem').filter({ hasText: 'grace' })).toBeVisible();
  await take(person.page, 'portal-dialog');
  await person.page.getByRole('tab', { name: 'Appearance' }).click();
  await expect(person.page.frameLocator('iframe').getByText(SERVICE.description)).toBeVisible();
  await take(person.page, 'portal-appearance');
  await person.page.getByRole('tab', { name: 'Usage' }).click();
  await take(person.page, 'portal-usage');
});
