import { chatStream, refuse, startFakeProvider } from '../../packages/models/src/testing/fake-provider.ts';
import { violations } from './support/axe.ts';
import { test as base, createWorkflow, expect, type Person, productWith } from './support/journey.ts';
import { overflow } from './support/overflow.ts';
import { execute } from './support/seed.ts';

const prices = JSON.stringify({ 'small-1': { input: 100, output: 200 } });
const test = base.extend<object, object>({ product: productWith({ MODEL_PRICES: prices }) });

/** A workflow that asks a model, which refuses one question. */
async function startAsking(person: Person) {
  const provider = await startFakeProvider(({ body }) =>
    JSON.stringify(body).includes('refuse')
      ? refuse(400, { error: { message: 'This question is not allowed' } })
      : { chunks: chatStream(['Ada is ', 'glad.']) },
  );
  const made = await person.context.request.post('/api/credentials', {
    data: {
      name: 'Local models',
      type: 'custom',
      config: { api_key: 'k-0123456789', base_url: provider.url },
    },
  });
  const { id: credentialId } = (await made.json()) as { id: string };
  const at = (x: number) => ({ x, y: 0 });
  const ask = { label: 'ask', credentialId, model: 'small-1', userMessage: '$start.text' };
  const { id } = await createWorkflow(person, {
    name: 'Mood',
    nodes: [
      { id: 'start', type: 'textInput', position: at(0), data: { label: 'start' } },
      { id: 'ask', type: 'llm', position: at(300), data: ask },
    ],
    edges: [{ id: 'e', source: 'start', target: 'ask' }],
  });
  return { provider, id };
}

for (const look of [
  { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const) {
  test.describe(`in the ${look.colorScheme} theme at ${look.viewport.width} px`, () => {
    test.use({
      contextOptions: { colorScheme: look.colorScheme, reducedMotion: 'reduce' },
      viewport: look.viewport,
    });

    test('a person reads what a model was asked and answered, goes to its run and deletes all', async ({
      person,
    }) => {
      const { page } = person;
      const rows = page.getByRole('table', { name: 'Traces' }).locator('[data-row]');
      const sheet = page.getByRole('dialog');
      await page.goto('/traces');
      await expect(page.getByRole('heading', { name: 'No traces yet' })).toBeVisible();
      expect(await violations(page)).toEqual([]);

      const { provider, id } = await startAsking(person);
      await execute(person, id, { text: 'How is Ada?' });
      await execute(person, id, { text: 'Please refuse.' });
      await expect(async () => {
        await page.reload();
        await expect(rows).toHaveCount(2, { timeout: 1_000 });
      }).toPass();
      await expect(rows.nth(1)).toContainText('$0.0022');
      await expect.poll(() => overflow(page)).toBe(0);
      expect(await violations(page)).toEqual([]);

      await test.step('the detail, by keyboard, and the next one', async () => {
        await rows.nth(0).focus();
        await page.keyboard.press('Enter');
        await expect(sheet.getByRole('alert')).toContainText('This question is not allowed');
        await sheet.getByRole('button', { name: 'Next trace' }).click();
        await expect(sheet.getByRole('listitem').filter({ hasText: 'User' })).toContainText('How is Ada?');
        await expect(sheet.getByRole('listitem').filter({ hasText: 'Model' })).toContainText('Ada is glad.');
        await expect(sheet).toContainText('12 in, 5 out');
        expect(await violations(page)).toEqual([]);
        await sheet.getByRole('tab', { name: 'JSON' }).click();
        await expect(sheet.getByRole('region', { name: 'Response' })).toContainText('"text": "Ada is glad."');
        expect(await violations(page)).toEqual([]);
        await sheet.getByRole('link', { name: 'Open run' }).click();
        await expect(page).toHaveURL(/\/runs\//);
        await page.goBack();
        await expect(sheet.getByRole('tab', { name: 'JSON' })).toBeVisible();
        await page.keyboard.press('Escape');
        await expect(sheet).toBeHidden();
      });

      await test.step('found by words and by result', async () => {
        await page.getByRole('textbox', { name: 'Search traces' }).pressSequentially('glad', { delay: 40 });
        await expect(rows).toHaveCount(1);
        await page.getByRole('combobox', { name: 'Result' }).click();
        await page.getByRole('option', { name: 'Error', exact: true }).click();
        await expect(page.getByRole('heading', { name: 'No traces match' })).toBeVisible();
        await page.getByRole('button', { name: 'Clear filters' }).click();
        await expect(rows).toHaveCount(2);
      });

      await test.step('what they cost over time, by keyboard and as tables', async () => {
        await page.getByRole('radio', { name: 'Calls' }).focus();
        await page.keyboard.press('ArrowRight');
        await expect(page.getByRole('radio', { name: 'Costs' })).toBeFocused();
        await page.keyboard.press('Enter');
        await expect(page).toHaveURL(/view=costs/);
        await expect(page.getByRole('img', { name: /^\$0\.0022 from / })).toBeVisible();
        await expect(page.getByRole('img', { name: /^17 tokens from / })).toBeVisible();
        const groups = page.getByRole('table', { name: 'Workflow' });
        await expect(groups).toContainText('Mood');
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(wide).toBeLessThanOrEqual(0);
        expect(await violations(page)).toEqual([]);
        await page.getByRole('radio', { name: 'Table' }).click();
        await expect(page.getByRole('table', { name: 'Cost over time' })).toContainText('$0.0022');
        expect(await violations(page)).toEqual([]);
        await groups.getByRole('button', { name: 'Show only Mood' }).click();
        await expect(page.getByRole('table', { name: 'Model' })).toContainText('small-1');
        await page.getByRole('radio', { name: 'Person' }).click();
        await expect(page.getByRole('table', { name: 'Person' })).toContainText('$0.0022');
        await page.getByRole('radio', { name: 'Calls' }).click();
        await expect(rows, 'still of that workflow alone').toHaveCount(2);
        await page.goto('/traces');
        await expect(rows).toHaveCount(2);
      });

      await test.step('deleted', async () => {
        await page.getByRole('button', { name: 'Delete all traces' }).click();
        expect(await violations(page)).toEqual([]);
        await sheet.getByRole('button', { name: 'Delete all' }).click();
        await expect(page.getByRole('heading', { name: 'No traces yet' })).toBeVisible();
      });
      provider.stop();
    });
  });
}
