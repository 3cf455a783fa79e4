// Leads through: chat
import type { Page } from '@playwright/test';
import { violations, violationsInBothThemes } from './support/axe.ts';
import { answers, ask, download, ECHO, fetchStatus, isIdle, messageBox, slowly } from './support/chat.ts';
import { expect, test } from './support/journey.ts';
import { overflow } from './support/overflow.ts';
import { PIXEL_URL } from './support/pixel.ts';
import { chain, node, openPortal, start } from './support/portal.ts';

const log = (page: Page) => page.getByRole('log', { name: 'Conversation' });

test('§4.4 a visitor chats without an account; the conversation outlives a reload', async ({
  person,
  visitor,
}) => {
  const { path } = await openPortal(person, ECHO);
  const page = await visitor();
  await page.goto(path);
  await expect(page.getByRole('heading', { name: 'Help desk', level: 2 })).toBeVisible();
  await expect(page.getByText('Ask about your order.')).toBeVisible();
  await expect(messageBox(page)).toBeFocused();
  await expect(page).toHaveTitle('Help desk');

  await page.keyboard.press('Enter');
  await expect(answers(page)).toHaveCount(0);
  await page.keyboard.type('first');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('line');
  await page.keyboard.press('Enter');
  await expect(answers(page).first()).toContainText(/0: first\s*line/);
  await expect(messageBox(page)).toBeFocused();
  await expect(messageBox(page)).toHaveValue('');
  // §6.2: earlier messages are the conversation_history of the next run.
  await ask(page, 'second');
  await expect(answers(page).nth(1)).toContainText('2: second');

  await page.reload();
  await expect(answers(page)).toHaveCount(2);
  await ask(page, 'third');
  await expect(answers(page).nth(2)).toContainText('4: third');
  await expect(log(page).getByRole('article', { name: 'You' })).toHaveCount(3);

  // An edited question forgets what came after it.
  await page.getByRole('button', { name: 'Edit', exact: true }).nth(1).click();
  const edited = page.getByRole('article', { name: 'Edit message' }).getByRole('textbox');
  await expect(edited).toHaveValue('second');
  await expect(edited).toBeFocused();
  await edited.fill('another');
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(answers(page).nth(1)).toContainText('2: another');
  await expect(answers(page)).toHaveCount(2);
  // A question that is asked again has the same answer, so the call itself is waited for.
  const again = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: 'Try again' }).click();
  await again;
  await isIdle(page);
  await expect(answers(page).nth(1)).toContainText('2: another');
  await expect(answers(page)).toHaveCount(2);
  await expect(messageBox(page)).toBeFocused();

  await page.reload();
  await expect(answers(page)).toHaveCount(2);
  await expect(answers(page).nth(1)).toContainText('2: another');
  expect(await download(page, 'As Markdown')).toMatchObject({ name: 'Help-desk.md' });
  const { name, text } = await download(page, 'As a web page');
  expect(name).toBe('Help-desk.html');
  expect(text).toContain('2: another');
  expect(text).not.toMatch(/<button|<script/);
});

const RICH = [
  '# Your order',
  '',
  'It is **on its way** & safe.',
  '',
  '| Item | Price |',
  '|---|---|',
  '| Pen | 3 |',
  '',
  '```js',
  'const a = 1 < 2;',
  '```',
  '',
  `![Map](${PIXEL_URL})`,
  '![Beacon](https://example.com/pixel.png)',
  '',
  '<script>document.title = "broken"</script>',
  '<img src=x onerror="document.title = 1">',
  '[click](javascript:document.title=2)',
  '',
  'مرحبا بالعالم',
].join('\n');

test('answers are Markdown with code, tables and pictures, and nothing in them runs', async ({
  person,
  visitor,
}) => {
  const { path } = await openPortal(person, chain(start('text'), node('out', 'output', { message: RICH })));
  const page = await visitor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(path);
  const foreign: string[] = [];
  page.on('request', (request) => {
    const { host } = new URL(request.url());
    if (host !== '' && host !== new URL(page.url()).host) foreign.push(request.url());
  });
  await ask(page, 'where?');
  const answer = answers(page).first();
  await expect(answer.getByRole('heading', { name: 'Your order' })).toBeVisible();
  await expect(answer.getByText('on its way')).toHaveCSS('font-weight', /[67]00/);
  await expect(answer.getByRole('cell', { name: 'Pen' })).toBeVisible();
  // Shown for two seconds only.
  const copied = answer.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' });
  await answer.getByRole('button', { name: 'Copy code' }).click();
  await copied;
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('const a = 1 < 2;');
  await answer.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(RICH);

  await answer.getByRole('button', { name: 'Enlarge: Map' }).click();
  await expect(page.getByRole('dialog', { name: 'Map' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Map' })).toBeHidden();

  await expect(page).toHaveTitle('Help desk');
  await expect(answer.locator('script, img[onerror], a[href^="javascript"]')).toHaveCount(0);
  await expect(answer.getByRole('link', { name: 'Beacon' })).toBeVisible();
  expect(foreign).toEqual([]);
  await expect(answer.getByText('مرحبا')).toHaveCSS('direction', 'rtl');
});

test('§3.4 Stop ends the run on the server', async ({ person, visitor }) => {
  for (const portal_stream_enabled of [true, false]) {
    const { id, path } = await openPortal(person, slowly(50_000), { portal_stream_enabled });
    const page = await visitor();
    await page.goto(path);
    await ask(page, 'wait');
    if (portal_stream_enabled)
      await expect(answers(page).getByText('Working on: Look up orders')).toBeVisible();
    await expect.poll(() => fetchStatus(person, id)).toMatch(/running|pending/);
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect(answers(page).getByText('You stopped this answer.')).toBeVisible();
    await expect.poll(() => fetchStatus(person, id)).toBe('cancelled');
    await expect(messageBox(page)).toBeFocused();
    await page.context().close();
  }
});

test('a page that is left in the middle of a run shows the answer when it is back', async ({
  person,
  visitor,
}) => {
  const { id, path } = await openPortal(person, slowly(8_000));
  const page = await visitor();
  await page.goto(path);
  await ask(page, 'patience');
  await expect(answers(page).getByText('Working on: Look up orders')).toBeVisible();
  await page.reload();
  await expect(answers(page).getByText('late: patience')).toBeVisible();
  await expect.poll(() => fetchStatus(person, id)).toBe('success');
  await expect(answers(page)).toHaveCount(1);
});

test('§5.5 a portal with users asks for a name and a password, and forgets on signing out', async ({
  person,
  visitor,
}) => {
  const { id, path } = await openPortal(person, ECHO);
  const { request } = person.context;
  await request.post(`/api/workflows/${id}/portal/users`, {
    data: { username: 'grace', password: 'opens the door' },
  });
  const page = await visitor();
  await page.goto(path);
  await expect(page.getByRole('textbox', { name: 'User name' })).toBeFocused();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.type('grace');
  await page.keyboard.press('Tab');
  await page.keyboard.type('wrong');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('2 more tries are left');
  await page.getByLabel('Password', { exact: true }).fill('opens the door');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await ask(page, 'hello');
  await expect(answers(page)).toContainText('0: hello');
  await page.reload();
  await expect(answers(page)).toContainText('0: hello');

  // The password was set again: the session is over, the conversation is still there for the same person.
  const users = await request.get(`/api/workflows/${id}/portal/users`);
  const [user] = (await users.json()) as { id: string }[];
  await request.put(`/api/workflows/${id}/portal/users/${user?.id}`, { data: { password: 'another door' } });
  await ask(page, 'again');
  await expect(page.getByRole('alert')).toContainText('Your session has ended');
  await page.getByRole('textbox', { name: 'User name' }).fill('grace');
  await page.getByLabel('Password', { exact: true }).fill('another door');
  await page.keyboard.press('Enter');
  await expect(answers(page).first()).toContainText('0: hello');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(answers(page).last()).toContainText('2: again');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('textbox', { name: 'User name' })).toBeVisible();
  await expect
    .poll(() => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('chat'))))
    .toEqual([]);

  // On another device the same person finds their own conversations.
  const elsewhere = await visitor();
  await elsewhere.goto(path);
  await elsewhere.getByRole('textbox', { name: 'User name' }).fill('grace');
  await elsewhere.getByLabel('Password', { exact: true }).fill('another door');
  await elsewhere.keyboard.press('Enter');
  await elsewhere.getByRole('button', { name: 'Past conversations' }).click();
  await elsewhere.getByRole('button', { name: /^hello/ }).click();
  await expect(answers(elsewhere).last()).toContainText('2: again');
});

test.describe('on a phone', () => {
  test.use({ contextOptions: { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true } });

  test('several fields become a form, and their values keep their types', async ({ person, visitor }) => {
    const { id, path } = await openPortal(
      person,
      chain(
        start('question', { key: 'maxResults', defaultValue: 3 }, { key: 'loud', defaultValue: false }),
        node('out', 'output', { message: '$start.body.question' }),
      ),
    );
    const page = await visitor();
    await page.goto(path);
    await page.getByRole('textbox', { name: 'Question' }).tap();
    await page.keyboard.type('pens');
    await page.getByRole('textbox', { name: 'Max results' }).fill('many');
    await page.getByRole('button', { name: 'Send' }).tap();
    await expect(page.getByText('Enter a number.')).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'Max results' })).toBeFocused();
    await page.getByRole('textbox', { name: 'Max results' }).fill('4');
    await page.getByRole('checkbox', { name: 'Loud' }).check();
    await expect.poll(() => overflow(page)).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send' }).tap();
    await expect(answers(page)).toContainText('pens');
    await expect.poll(() => overflow(page)).toBe(0);
    await expect
      .poll(async () => {
        const list = await person.context.request.get(`/api/workflows/${id}/history`);
        const { items } = (await list.json()) as { items: { id: string }[] };
        return (await person.context.request.get(`/api/workflows/${id}/history/${items[0]?.id}`)).json();
      })
      .toMatchObject({ inputs: { body: { question: 'pens', maxResults: 4, loud: true } } });
  });

  test('a long answer scrolls below the box, which stays in reach', async ({ person, visitor }) => {
    const { path } = await openPortal(
      person,
      chain(
        start('text'),
        node('out', 'output', {
          message: `${Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n')}\n\n\`${'x'.repeat(300)}\``,
        }),
      ),
    );
    const page = await visitor();
    await page.goto(path);
    await messageBox(page).tap();
    await page.keyboard.type('much');
    await page.getByRole('button', { name: 'Send' }).tap();
    await expect(answers(page)).toContainText('line 59');
    await expect(messageBox(page)).toBeInViewport();
    await expect(answers(page).getByText('x'.repeat(300))).toBeInViewport();
    await expect.poll(() => overflow(page)).toBe(0);
    // Text that is still being written scrolls to the end again.
    await isIdle(page);
    await log(page).evaluate((list) => list.parentElement?.scrollTo({ top: 0 }));
    await page.getByRole('button', { name: 'Go to the latest message' }).tap();
    await expect(answers(page).getByText('x'.repeat(300))).toBeInViewport();
  });
});

test.describe('in German', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce', locale: 'de-DE' } });

  test('no state has a WCAG AA violation', async ({ person, visitor }) => {
    const failing = chain(
      start('text'),
      node('stop', 'throwError', { errorMessage: 'Closed today', httpStatusCode: 400 }),
    );
    const rich = await openPortal(person, chain(start('text'), node('out', 'output', { message: RICH })));
    const page = await visitor();
    await page.goto(rich.path);
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await expect(page.getByRole('textbox', { name: 'Nachricht' })).toBeFocused();
    expect(await violationsInBothThemes(page), 'empty').toEqual([]);
    await page.keyboard.type('wo?');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('article', { name: 'Antwort' })).toContainText('on its way');
    expect(await violationsInBothThemes(page), 'answer').toEqual([]);
    await page.getByRole('button', { name: 'Bearbeiten' }).click();
    await expect(page.getByRole('article', { name: 'Nachricht bearbeiten' })).toBeVisible();
    expect(await violationsInBothThemes(page), 'edit').toEqual([]);

    await page.goto((await openPortal(person, failing)).path);
    await page.getByRole('textbox', { name: 'Nachricht' }).fill('wo?');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Etwas ist schiefgegangen')).toBeVisible();
    await expect(page.getByText('Closed today')).toBeVisible();
    expect(await violationsInBothThemes(page), 'failed').toEqual([]);

    await page.goto((await openPortal(person, slowly(50_000))).path);
    await page.getByRole('textbox', { name: 'Nachricht' }).fill('wo?');
    await page.keyboard.press('Enter');
    await expect(page.getByText('In Arbeit: Look up orders')).toBeVisible();
    expect(await violationsInBothThemes(page), 'working').toEqual([]);
    await page.getByRole('button', { name: 'Anhalten' }).click();
  });
});

test('limits and lost connections are told in plain words, and the message can be sent again', async ({
  person,
  visitor,
}) => {
  const { path } = await openPortal(person, ECHO, {
    portal_rate_limit_requests: 1,
    // Time for the second message to be written on a busy machine.
    portal_rate_limit_window_seconds: 12,
  });
  const page = await visitor();
  await page.goto(path);
  await page.context().setOffline(true);
  await ask(page, 'one');
  await expect(page.getByText('The message could not be sent.')).toBeVisible();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(answers(page).last()).toContainText('0: one');
  await ask(page, 'two');
  await expect(page.getByText(/many messages in a short time. Try again in \d+ seconds?/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toBeDisabled();
  await expect(page.getByText('You can send messages again.')).toBeVisible();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(answers(page).last()).toContainText('2: two');
});

test('an address without a chat says so', async ({ visitor }) => {
  const page = await visitor();
  await page.goto('/chat/nothing-here');
  const heading = page.getByRole('heading', { name: 'There is no chat here', level: 1 });
  await expect(heading).toBeFocused();
  expect(await violations(page)).toEqual([]);
});
