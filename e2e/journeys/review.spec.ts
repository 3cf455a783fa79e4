import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './support/axe.ts';
import { createWorkflow, expect, type Person, test } from './support/journey.ts';
import { overflow } from './support/overflow.ts';

const node = (id: string, type: string, data: object = {}) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label: id, ...data },
});
const edge = (source: string, target: string, sourceHandle?: string) => ({
  id: `${source}-${target}`,
  source,
  target,
  ...(sourceHandle ? { sourceHandle } : {}),
});

const DRAFT = [
  '# Dear Ada',
  '',
  'Your order is **on its way**.',
  '',
  '<script>document.title = "broken"</script>',
  '<img src=x onerror="document.title = 1">',
  '',
  '[click](javascript:alert(1))',
  '',
  ...Array.from({ length: 30 }, (_, line) => `- item ${line}`),
].join('\n');

const ASKING = {
  name: 'Answers',
  nodes: [
    node('start', 'textInput'),
    node('ask', 'humanReview', { summary: 'Answer to Ada', draft: '$start.body.draft' }),
    node('out', 'output', { message: 'sent: $ask.text' }),
    node('no', 'output', { message: 'refused: $ask.refusalReason by $ask.reviewerName' }),
  ],
  edges: [edge('start', 'ask'), edge('ask', 'out', 'accepted'), edge('ask', 'no', 'refused')],
};

interface Asked {
  /** Path of the review page. */
  readonly path: string;
  readonly outputs: () => Promise<unknown>;
}

async function ask(person: Person): Promise<Asked> {
  const { request } = person.context;
  const { id } = await createWorkflow(person, ASKING);
  const answer = await request.post(`/api/workflows/${id}/execute`, { data: { draft: DRAFT } });
  const body = (await answer.json()) as { status: string; outputs: { ask: { reviewUrl: string } } };
  expect(body.status).toBe('pending');
  const run = answer.headers()['x-execution-id'];
  return {
    path: new URL(body.outputs.ask.reviewUrl).pathname,
    outputs: async () => {
      const entry = await request.get(`/api/workflows/${id}/history/${run}`);
      return ((await entry.json()) as { outputs: unknown }).outputs;
    },
  };
}

const openReview = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await expect(page.getByRole('heading', { name: 'Answer to Ada', level: 1 })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Dear Ada' })).toBeVisible();
};

test('§3.1 a reviewer without an account accepts the draft by keyboard, once', async ({
  person,
  visitor,
}) => {
  const { path, outputs } = await ask(person);
  const page = await visitor();
  await openReview(page, path);
  // Nothing that a draft brings along runs or leads anywhere.
  await expect(page).toHaveTitle('Answer to Ada · Millrace');
  await expect(page.getByText('on its way')).toHaveCSS('font-weight', /[67]00/);
  await expect(page.locator('main script, main img, main a[href^="javascript"]')).toHaveCount(0);
  const late = await visitor();
  await openReview(late, path);

  await page.getByRole('button', { name: 'Accept' }).press('Enter');
  const done = page.getByRole('heading', { name: 'Accepted. Thank you!' });
  await expect(done).toBeFocused();
  await expect.poll(outputs).toEqual({ out: { result: `sent: ${DRAFT}` } });

  await late.getByRole('button', { name: 'Accept' }).click();
  await expect(late.getByRole('heading', { name: 'This review has already been decided' })).toBeFocused();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'This review has already been decided' })).toBeVisible();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 780 } });

  test('a draft is edited, and what was typed survives a lost connection', async ({ person, visitor }) => {
    const { path, outputs } = await ask(person);
    const page = await visitor();
    await openReview(page, path);
    await expect.poll(() => overflow(page)).toBe(0);
    // In reach at once, though the draft is longer than the screen.
    await expect(page.getByRole('button', { name: 'Edit' })).toBeInViewport();
    await page.getByRole('button', { name: 'Edit' }).click();
    const text = page.getByRole('textbox', { name: 'Your text' });
    await expect(text).toBeFocused();
    await expect(text).toHaveValue(DRAFT);
    await text.fill('Dear Ada, it left today.');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Continue with my text' }).click();
    await expect(page.getByRole('alert')).not.toBeEmpty();
    await page.context().setOffline(false);
    await expect(text).toHaveValue('Dear Ada, it left today.');
    await page.getByRole('button', { name: 'Continue with my text' }).click();
    await expect(page.getByRole('heading', { name: 'Your text was sent. Thank you!' })).toBeVisible();
    await expect.poll(outputs).toEqual({ out: { result: 'sent: Dear Ada, it left today.' } });
  });
});

test.describe('in German', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce', locale: 'de-DE' } });

  test('a draft is refused with a reason, without a WCAG AA violation', async ({ person, visitor }) => {
    const { path, outputs } = await ask(person);
    const page = await visitor();
    await openReview(page, path);
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    expect(await violationsInBothThemes(page), 'open').toEqual([]);
    await page.getByRole('button', { name: 'Bearbeiten' }).click();
    await expect(page.getByRole('textbox').first()).toBeFocused();
    expect(await violationsInBothThemes(page), 'edit').toEqual([]);
    await page.getByRole('button', { name: 'Zurück' }).click();
    await page.getByRole('button', { name: 'Ablehnen' }).click();
    await expect(page.getByRole('textbox', { name: 'Grund' })).toBeFocused();
    await page.keyboard.type('Zu lang');
    await page.getByRole('textbox', { name: 'Ihr Name' }).fill('Grace');
    expect(await violationsInBothThemes(page), 'refuse').toEqual([]);
    await page.getByRole('button', { name: 'Entwurf ablehnen' }).click();
    await expect(page.getByRole('heading', { name: 'Abgelehnt. Vielen Dank!' })).toBeFocused();
    expect(await violationsInBothThemes(page), 'done').toEqual([]);
    await expect.poll(outputs).toEqual({ no: { result: 'refused: Zu lang by Grace' } });
  });
});

test('a link that opens nothing says so', async ({ visitor }) => {
  const page = await visitor();
  await page.goto('/review/nothing');
  await expect(
    page.getByRole('heading', { name: 'This link does not lead to a review', level: 1 }),
  ).toBeVisible();
});
