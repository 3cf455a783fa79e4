// Leads through: features/run-view
import type { Page } from '@playwright/test';
import { violations, violationsInBothThemes } from './support/axe.ts';
import { createWorkflow, expect, type Person, test } from './support/journey.ts';
import { overflow } from './support/overflow.ts';
import { PIXEL_URL } from './support/pixel.ts';
import { call, SLOW } from './support/seed.ts';

const at = (id: string, type: string, x: number, data: object) => ({
  id,
  type,
  position: { x, y: 0 },
  data: { label: id, ...data },
});
const edges = [{ id: 'e', source: 'guest', target: 'answer' }];

const GREETS = {
  name: 'Greet a guest',
  description: 'Writes a welcome in Markdown',
  nodes: [
    at('guest', 'textInput', 0, { inputFields: [{ key: 'name', defaultValue: 'Ada' }] }),
    at('answer', 'output', 280, { message: '# Hello $guest.body.name\n\n**Welcome** to the house.' }),
  ],
  edges,
};

const TABLE = {
  name: 'Rows and a picture',
  nodes: [
    at('guest', 'textInput', 0, {}),
    at('answer', 'jsonOutputMapper', 280, { mappings: [{ key: 'rows', value: '$guest.body.rows' }] }),
  ],
  edges,
};

const drawer = (page: Page) => page.getByRole('dialog');
/** The drawer loads when it is opened first; keys before that would go to the page. */
const choosing = (page: Page) => expect(drawer(page).getByRole('combobox')).toBeFocused();

/** Types words and takes what they find; Enter takes the option that is shown as chosen. */
async function choose(page: Page, words: string, option: RegExp): Promise<void> {
  await choosing(page);
  await page.keyboard.type(words);
  await expect(drawer(page).getByRole('option', { name: option, selected: true })).toBeVisible();
  await page.keyboard.press('Enter');
}

interface History {
  items: { trigger_source: string; status: string; is_draft: boolean }[];
}
const fetchRuns = async (person: Person, id: string) =>
  (await call<History>(person, 'GET', `/api/workflows/${id}/history`)).items;

test.describe('in both themes', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  test('§6.3: a pinned workflow is run by keyboard from any page, as `Quick Drawer`', async ({ person }) => {
    const { page } = person;
    const greets = await createWorkflow(person, GREETS);
    await createWorkflow(person, TABLE);

    await test.step('a pin is kept by the server', async () => {
      await page.goto('/');
      const card = page.getByRole('listitem').filter({ hasText: 'Greet a guest' });
      await card.hover();
      await card.getByRole('button', { name: 'Pin', exact: true }).click();
      await expect(card.getByRole('button', { name: 'Unpin' })).toBeVisible();
      await expect
        .poll(() => call(person, 'GET', '/api/workflow-pins'))
        .toEqual({ workflow_ids: [greets.id] });
    });

    await test.step('found, filled in and run without a mouse', async () => {
      await page.goto('/runs');
      await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
      await page.keyboard.press('q');
      await expect(drawer(page).getByRole('group', { name: 'Pinned' })).toContainText('Greet a guest');
      await expect(drawer(page).getByRole('group', { name: 'All workflows' })).toContainText('Rows');
      expect(await violationsInBothThemes(page)).toEqual([]);
      await choose(page, 'greet', /Greet a guest/);
      const field = drawer(page).getByRole('textbox', { name: 'name' });
      await expect(field).toBeFocused();
      await page.keyboard.type('Grace');
      await page.keyboard.press('Control+Enter');
      await expect(drawer(page).getByText('Success').first()).toBeVisible();
      await expect(drawer(page).getByRole('heading', { name: 'Hello Grace' })).toBeVisible();
      await expect(drawer(page).getByRole('list', { name: 'Progress' })).toContainText('guest');
      expect(await violationsInBothThemes(page)).toEqual([]);
      await expect
        .poll(() => fetchRuns(person, greets.id))
        .toMatchObject([{ trigger_source: 'Quick Drawer', status: 'success', is_draft: false }]);
    });

    await test.step('the last input and result are there when it opens again', async () => {
      await page.keyboard.press('Escape');
      await expect(drawer(page)).toBeHidden();
      await page.keyboard.press('q');
      await expect(drawer(page).getByRole('textbox', { name: 'name' })).toHaveValue('Grace');
      await expect(drawer(page).getByRole('heading', { name: 'Hello Grace' })).toBeVisible();
      await page.reload();
      await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      await choose(page, 'quick dr', /Quick drawer/);
      await expect(drawer(page).getByRole('textbox', { name: 'name' })).toHaveValue('Grace');
    });

    await test.step('outputs as a table and as pictures', async () => {
      await drawer(page).getByRole('button', { name: 'Choose another workflow' }).click();
      await choose(page, 'rows and', /Rows and a picture/);
      const body = drawer(page).getByRole('textbox');
      await expect(body).toBeFocused();
      await page.keyboard.insertText(
        JSON.stringify({ rows: [{ city: 'Bern', seal: PIXEL_URL }, { city: 'Oslo' }] }),
      );
      await page.keyboard.press('Control+Enter');
      await expect(drawer(page).getByText('Success').first()).toBeVisible();
      await expect(drawer(page).getByRole('list', { name: 'Output files' }).locator('img')).toBeVisible();
      await drawer(page).getByRole('radio', { name: 'Table' }).click();
      await expect(drawer(page).getByRole('cell', { name: 'Oslo' })).toBeVisible();
      expect(await violationsInBothThemes(page)).toEqual([]);
    });
  });
});

test('a run continues while the drawer is closed, and is stopped in it', async ({ person }) => {
  const { page } = person;
  const slow = await createWorkflow(person, SLOW);
  await createWorkflow(person, { ...GREETS, name: 'Only a draft' }, { draft: true });
  await page.goto('/');
  await page.getByRole('button', { name: 'Quick drawer' }).first().click();
  await choose(page, 'nightly', /Nightly export/);
  await drawer(page).getByRole('button', { name: /^Run/ }).click();
  await expect(drawer(page).getByRole('list', { name: 'Progress' })).toContainText('collect');
  await page.keyboard.press('Escape');
  // Plain keys rest while a dialog has the focus.
  await expect(drawer(page)).toBeHidden();
  await page.keyboard.press('q');
  await drawer(page).getByRole('button', { name: 'Stop' }).click();
  await expect(drawer(page).getByText('Cancelled').first()).toBeVisible();
  await expect
    .poll(() => fetchRuns(person, slow.id))
    .toMatchObject([{ trigger_source: 'Quick Drawer', status: 'cancelled' }]);

  await drawer(page).getByRole('button', { name: 'Choose another workflow' }).click();
  await choose(page, 'only a', /Only a draft/);
  await expect(drawer(page).getByText('This workflow is not published')).toBeVisible();
  await drawer(page).getByRole('link', { name: 'Open in the editor' }).last().click();
  await expect(page.getByRole('application', { name: 'Canvas' })).toBeVisible();
});

test.describe('on a phone, in German', () => {
  test.use({ contextOptions: { viewport: { width: 390, height: 844 }, locale: 'de-DE', hasTouch: true } });

  test('the lower bar opens it, and nothing is wider than the screen', async ({ person }) => {
    const { page } = person;
    await createWorkflow(person, GREETS);
    await page.goto('/');
    await page.getByRole('button', { name: 'Schnellstart' }).tap();
    await drawer(page)
      .getByRole('option', { name: /Greet a guest/ })
      .tap();
    await drawer(page).getByRole('button', { name: 'Anheften' }).tap();
    await expect(drawer(page).getByRole('button', { name: 'Lösen' })).toBeVisible();
    await drawer(page)
      .getByRole('button', { name: /^Starten/ })
      .tap();
    await expect(drawer(page).getByRole('heading', { name: 'Hello Ada' })).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await expect.poll(() => overflow(page)).toBe(0);
  });
});
