// Leads through: pages/traces
import {
  chatStream,
  json,
  refuse,
  startFakeProvider,
} from '../../packages/models/src/testing/fake-provider.ts';
import { violations } from './support/axe.ts';
import { test as base, expect, productWith } from './support/journey.ts';
import { addModel } from './support/models.ts';
import { overflow } from './support/overflow.ts';

const prices = JSON.stringify({ 'small-1': { input: 100, output: 200 } });
const test = base.extend<object, object>({
  product: productWith({ MODEL_PRICES: prices }),
});

/** Two models: `small-1` is right about France and refuses Italy, `large-1` says the same to everything. */
const startCapitals = () =>
  startFakeProvider(({ path, body }) => {
    if (path.includes('/models')) return json({ data: [{ id: 'small-1' }, { id: 'large-1' }] });
    if (body?.['model'] === 'large-1') return { chunks: chatStream(['I do not know.']) };
    return JSON.stringify(body).includes('Italy')
      ? refuse(400, { error: { message: 'Not about Italy' } })
      : { chunks: chatStream(['Paris']) };
  });

for (const look of [
  { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const) {
  test.describe(`in the ${look.colorScheme} theme at ${look.viewport.width} px`, () => {
    test.use({ contextOptions: { colorScheme: look.colorScheme }, viewport: look.viewport });

    test('a person compares two models on a suite, and adds an answer from the traces', async ({
      person,
    }) => {
      const { page } = person;
      const dialog = page.getByRole('dialog');
      const axe = async () => expect(await violations(page)).toEqual([]);
      await page.goto('/evals');
      await expect(page.getByRole('heading', { name: 'No eval suites yet' })).toBeVisible();
      await axe();

      const provider = await startCapitals();
      await addModel(person, provider);

      await test.step('a suite with two test cases, by keys', async () => {
        await page.keyboard.press('n');
        await dialog.getByRole('textbox', { name: 'Name' }).pressSequentially('Capitals', { delay: 30 });
        await dialog.getByRole('textbox', { name: /^System prompt/ }).fill('Name the capital.');
        await axe();
        await dialog.getByRole('textbox', { name: 'Name' }).press('Enter');
        await expect(page.getByRole('heading', { name: 'No test cases yet' })).toBeVisible();
        await axe();
        for (const [number, input] of [
          [1, 'France'],
          [2, 'Italy'],
        ] as const) {
          await page.getByRole('button', { name: 'Add test case' }).press('Enter');
          await expect(page.getByRole('textbox', { name: `Input of test case ${number}` })).toBeFocused();
          await page.keyboard.type(input, { delay: 30 });
          await page.keyboard.press('Tab');
          await page.keyboard.type(number === 1 ? 'Paris' : 'Rome', { delay: 30 });
        }
        await page.keyboard.press('Tab');
        await page.reload();
        await expect(page.getByRole('textbox', { name: 'Input of test case 2' })).toHaveValue('Italy');
        await expect(page.getByRole('textbox', { name: 'Expected output of test case 1' })).toHaveValue(
          'Paris',
        );
        expect(await overflow(page)).toBeLessThanOrEqual(0);
        await axe();
      });

      await test.step('a run over two models', async () => {
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        for (const model of ['small-1', 'large-1']) {
          await dialog.getByRole('combobox', { name: /^Add a model/ }).click();
          await page.getByRole('option', { name: model }).click();
        }
        await expect(dialog).toContainText('4 answers will be asked for.');
        await axe();
        await dialog.getByRole('button', { name: 'Start run' }).click();
        await expect(page.getByText('4 of 4 answers')).toBeVisible();
        await expect(page.getByText('Completed')).toBeVisible();
        const rows = page.getByRole('table', { name: 'Comparison' }).getByRole('row');
        await expect(rows.nth(1)).toContainText('50% (1/2)');
        await expect(rows.nth(1)).toContainText('$0.0022');
        await expect(rows.nth(2)).toContainText('0% (0/2)');
        expect(await overflow(page)).toBeLessThanOrEqual(0);
        await axe();
      });

      await test.step('its results', async () => {
        await page.getByRole('button', { name: 'Test case 1, large-1: Fail' }).press('Enter');
        await expect(dialog.getByRole('region', { name: 'Answer' })).toContainText('I do not know.');
        await axe();
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Test case 2, small-1: Error' }).click();
        await expect(dialog.getByRole('alert')).toContainText('Not about Italy');
        await page.keyboard.press('Escape');
        await expect(dialog).toBeHidden();
      });

      await test.step('an answer in the traces becomes a test case', async () => {
        await page.goto('/traces?source=eval&status=success&order=asc');
        const call = page
          .getByRole('table', { name: 'Traces' })
          .locator('[data-row]', { hasText: 'small-1' });
        await expect(async () => {
          await page.reload();
          await expect(call).toHaveCount(1, { timeout: 1_000 });
        }).toPass();
        await call.click();
        await dialog.getByRole('button', { name: 'Add to eval suite…' }).click();
        const form = page.getByRole('dialog', { name: 'Add to eval suite' });
        await expect(form.getByRole('textbox', { name: 'Input' })).toHaveValue('France');
        await form.getByRole('combobox', { name: 'Suite' }).click();
        await page.getByRole('option', { name: 'Capitals' }).click();
        await axe();
        await form.getByRole('button', { name: 'Add', exact: true }).click();
        await expect(page.getByText('Added to “Capitals”')).toBeVisible();
        await page.goto('/evals');
        await page.getByRole('link', { name: 'Capitals' }).click();
        await expect(page.getByRole('textbox', { name: 'Expected output of test case 3' })).toHaveValue(
          'Paris',
        );
      });

      await test.step('the run is found again, and deleted', async () => {
        await page.getByRole('tab', { name: /^Runs/ }).click();
        await axe();
        await page.getByRole('link', { name: 'small-1, large-1' }).click();
        await page.getByRole('button', { name: 'Delete run' }).click();
        await dialog.getByRole('button', { name: 'Delete' }).click();
        await expect(page.getByText('Run deleted')).toBeVisible();
        await page.getByRole('tab', { name: /^Runs/ }).click();
        await expect(page.getByRole('heading', { name: 'No runs yet' })).toBeVisible();
      });
      provider.stop();
    });
  });
}
