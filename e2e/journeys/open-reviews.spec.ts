// Leads through: pages/inbox, pages/review
import type { Page } from '@playwright/test';
import { violations, violationsInBothThemes } from './support/axe.ts';
import { createWorkflow, expect, type Person, test } from './support/journey.ts';
import { overflow } from './support/overflow.ts';
import { ASKS, call, execute } from './support/seed.ts';

const rows = (page: Page) => page.getByRole('table', { name: 'Reviews' }).locator('[data-row]');
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 2 });

/** The answers of the runs, newest first. */
async function results(person: Person): Promise<unknown[]> {
  const { items } = await call<{ items: { id: string }[] }>(person, 'GET', '/api/workflows/history/all');
  const entries = items.map(({ id }) =>
    call<{ outputs: { ask?: object } }>(person, 'GET', `/api/workflows/history/all/${id}`),
  );
  return (await Promise.all(entries)).map(({ outputs }) => outputs.ask);
}

test.describe('in both themes', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  test('reviews are gone through and decided by keyboard', async ({ person }) => {
    const { page } = person;
    await page.goto('/inbox');
    await page.getByRole('link', { name: /^Reviews/ }).click();
    await expect(heading(page, 'No open reviews')).toBeVisible();
    expect(await violationsInBothThemes(page), 'empty').toEqual([]);
    const { id } = await createWorkflow(person, ASKS);
    for (const customer of ['One', 'Two', 'Three']) await execute(person, id, { customer });
    await expect(rows(page)).toHaveCount(3);
    await page.reload();
    await expect(page.getByRole('link', { name: /^Inbox.*3/ })).toBeVisible();
    await expect(page.getByRole('link', { name: /^Reviews.*3/ })).toBeVisible();
    await expect(rows(page).first()).toContainText('Answer to Three');
    await expect(rows(page).first()).toContainText('Letters to customers');
    expect(await violationsInBothThemes(page), 'list').toEqual([]);

    await test.step('a key that is held accepts one review, and the next is shown', async () => {
      await page.keyboard.press('j');
      await expect(heading(page, 'Answer to Three')).toBeVisible();
      await expect(page.getByText('on its way')).toHaveCSS('font-weight', /[67]00/);
      await page.keyboard.press('j');
      await expect(heading(page, 'Answer to Two')).toBeVisible();
      await page.keyboard.press('k');
      await expect(heading(page, 'Answer to Three')).toBeVisible();
      expect(await violationsInBothThemes(page), 'open').toEqual([]);
      await page.keyboard.down('a');
      await expect(heading(page, 'Answer to Two')).toBeVisible();
      await page.keyboard.down('a');
      await page.keyboard.up('a');
      await expect(rows(page)).toHaveCount(2);
      await expect(rows(page).first()).toBeFocused();
    });

    await test.step('edited', async () => {
      await page.keyboard.press('e');
      const text = page.getByRole('textbox', { name: 'Your text' });
      await expect(text).toBeFocused();
      expect(await violationsInBothThemes(page), 'edit').toEqual([]);
      await text.fill('Dear Two, it left today: j, k, a, r.');
      await page.keyboard.press('ControlOrMeta+Enter');
      await expect(heading(page, 'Answer to One')).toBeVisible();
    });

    await test.step('refused', async () => {
      await page.keyboard.press('r');
      await expect(page.getByRole('textbox', { name: 'Reason' })).toBeFocused();
      await page.keyboard.type('Not now');
      expect(await violationsInBothThemes(page), 'refuse').toEqual([]);
      await page.keyboard.press('ControlOrMeta+Enter');
      await expect(heading(page, 'No open reviews')).toBeVisible();
      await expect(page.getByRole('link', { name: /^Reviews.*0/ })).toBeVisible();
    });
    await expect
      .poll(() => results(person))
      .toMatchObject([
        { decision: 'accepted' },
        { decision: 'edited', text: 'Dear Two, it left today: j, k, a, r.' },
        { decision: 'refused', refusalReason: 'Not now' },
      ]);
  });

  test('what was decided elsewhere says so, and words find the rest', async ({ person }) => {
    const { page } = person;
    const { id } = await createWorkflow(person, ASKS);
    for (const customer of ['Ada', 'Grace']) await execute(person, id, { customer });
    await page.goto('/inbox/reviews');
    await page.getByRole('textbox', { name: 'Search reviews' }).pressSequentially('ada', { delay: 40 });
    await expect(rows(page)).toHaveCount(1);
    await rows(page).first().click();
    await expect(heading(page, 'Answer to Ada')).toBeVisible();
    const [ada] = (await call<{ items: { id: string }[] }>(person, 'GET', '/api/reviews?search=ada')).items;
    const decided = await person.context.request.post(`/api/reviews/${ada?.id}/decision`, {
      data: { action: 'accept' },
    });
    expect(decided.status()).toBe(202);
    await page.getByRole('button', { name: /^Accept/ }).click();
    await expect(page.getByText('This review has already been decided')).toBeVisible();
    await expect(heading(page, 'No reviews match')).toBeVisible();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect(rows(page)).toHaveCount(1);
  });
});

test.describe('on a phone, in German', () => {
  test.use({
    viewport: { width: 390, height: 780 },
    contextOptions: { locale: 'de-DE', reducedMotion: 'reduce' },
  });

  test('a review is accepted', async ({ person }) => {
    const { page } = person;
    const { id } = await createWorkflow(person, ASKS);
    await execute(person, id, { customer: 'Ada' });
    await page.goto('/inbox/reviews');
    const row = page.getByRole('table', { name: 'Prüfungen' }).locator('[data-row]');
    await expect(row).toContainText('Answer to Ada');
    await expect.poll(() => overflow(page)).toBe(0);
    expect(await violations(page), 'list').toEqual([]);
    await row.click();
    await expect(heading(page, 'Answer to Ada')).toBeVisible();
    expect(await violations(page), 'open').toEqual([]);
    await expect(page.getByRole('button', { name: 'Annehmen' })).toBeInViewport();
    await page.getByRole('button', { name: 'Annehmen' }).click();
    await expect(heading(page, 'Keine offenen Prüfungen')).toBeVisible();
    expect(await violations(page), 'empty').toEqual([]);
  });
});
