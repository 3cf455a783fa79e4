// Leads through: chat
import { violations } from './support/axe.ts';
import { answers, ask, download, fetchStatus, slowly } from './support/chat.ts';
import { expect, test } from './support/journey.ts';
import { node, openPortal, start } from './support/portal.ts';

test('a portal without streaming: the run goes through although the page is left, and Stop ends it', async ({
  person,
  visitor,
}) => {
  // Longer than a busy machine takes to look and to stop it.
  const { id, path } = await openPortal(person, slowly(8_000), { portal_stream_enabled: false });
  const page = await visitor();
  await page.goto(path);
  await ask(page, 'one');
  await expect.poll(() => fetchStatus(person, id)).toBe('running');
  await page.goto('about:blank');
  await page.goto(path);
  await expect(answers(page).first()).toContainText('late: one', { timeout: 40_000 });

  await ask(page, 'two');
  await expect.poll(() => fetchStatus(person, id)).toBe('running');
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByText('You stopped this answer.')).toBeVisible();
  await expect.poll(() => fetchStatus(person, id)).toBe('cancelled');
});

test('§3.4 a run that waits for a review asks in the chat when the setting says so', async ({
  person,
  visitor,
}) => {
  const asking = {
    nodes: [
      start('text'),
      node('ask', 'humanReview', { summary: 'May this be sent?', draft: '**$start.body.text**' }),
      node('out', 'output', { message: 'Sent: $ask.text' }),
      node('no', 'output', { message: 'Not sent: $ask.refusalReason' }),
    ],
    edges: [
      { id: 'a', source: 'start', target: 'ask' },
      { id: 'b', source: 'ask', target: 'out', sourceHandle: 'accepted' },
      { id: 'c', source: 'ask', target: 'no', sourceHandle: 'refused' },
    ],
  };
  const { path } = await openPortal(person, asking, { portal_appearance: { reviews_in_chat: true } });
  const page = await visitor();
  await page.goto(path);
  await ask(page, 'draft');
  const question = answers(page).first().getByRole('region', { name: 'May this be sent?' });
  await expect(question.getByText('draft')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  const { text } = await download(page, 'As a web page');
  expect(text).toContain('May this be sent?');
  expect(text).not.toContain('Accept');
  await question.getByRole('button', { name: 'Refuse' }).click();
  await question.getByRole('button', { name: 'Cancel' }).press('Enter');
  await expect(question).toBeFocused();
  await question.getByRole('button', { name: 'Edit' }).click();
  await expect(question.getByRole('textbox', { name: 'Your text' })).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('a better draft');
  await question.getByRole('button', { name: 'Continue with this text' }).click();
  await expect(answers(page).first()).toContainText('Sent: a better draft');

  await ask(page, 'second');
  const again = answers(page).nth(1);
  await again.getByRole('button', { name: 'Refuse' }).click();
  await again.getByRole('textbox', { name: 'Why not?' }).fill('too short');
  await again.getByRole('button', { name: 'Refuse' }).click();
  await expect(again).toContainText('Not sent: too short');
});

test('§3.4 a run that waits for a review shows its link', async ({ person, visitor }) => {
  const asking = {
    nodes: [
      start('text'),
      node('ask', 'humanReview', { summary: 'Refund of 3 €', draft: '$start.body.text' }),
      node('out', 'output', { message: '$ask.text' }),
    ],
    edges: [
      { id: 'a', source: 'start', target: 'ask' },
      { id: 'b', source: 'ask', target: 'out', sourceHandle: 'accepted' },
    ],
  };
  const { path } = await openPortal(person, asking);
  const page = await visitor();
  await page.goto(path);
  await ask(page, 'Refund, please');
  await expect(answers(page).getByText('Refund of 3 €')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Open the review' })).toHaveAttribute('href', /\/review\//);
  expect(await violations(page)).toEqual([]);
});
