// Leads through: features/workflow
import { locateEditor } from './support/editor.ts';
import { test as base, createWorkflow, expect, productWith } from './support/journey.ts';
import { addModel, says, startModels } from './support/models.ts';
import { expectReadable } from './support/readable.ts';
import { call } from './support/seed.ts';

/** An answer of the model costs 12 × $0.01 and 5 × $0.02, which is $0.22. */
const prices = JSON.stringify({ 'small-1': { input: 10_000, output: 20_000 } });
const test = base.extend<object, object>({ product: productWith({ MODEL_PRICES: prices }) });

test('§8.4 what a run will cost is said before it, and 80 % of a budget after it', async ({ person }) => {
  const { page } = person;
  const models = await startModels();
  await addModel(person, models);
  const credentials = await call<{ id: string }[]>(person, 'GET', '/api/credentials');
  const at = (x: number) => ({ x, y: 0 });
  const { id } = await createWorkflow(person, {
    name: 'Answers',
    nodes: [
      {
        id: 'start',
        type: 'textInput',
        position: at(0),
        data: { label: 'start', inputFields: [{ key: 'text' }] },
      },
      {
        id: 'reply',
        type: 'llm',
        position: at(300),
        data: {
          label: 'reply',
          credentialId: credentials[0]?.id,
          model: 'small-1',
          userMessage: '$start.body.text',
          maxTokens: 50,
        },
      },
    ],
    edges: [{ id: 'a', source: 'start', target: 'reply' }],
  });
  const editor = locateEditor(page);
  const { runPanel } = editor;
  const header = page.getByRole('region', { name: 'Workflow', exact: true });
  const settings = page.getByRole('dialog', { name: 'Workflow settings' });
  const openSettings = async () => {
    await header.getByRole('button', { name: 'More' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Settings…' }).press('Enter');
    await expect(settings).toBeVisible();
  };
  await editor.open(id);
  await page.getByRole('tab', { name: 'Run' }).click();

  await test.step('from prices and limits, in the run panel and in the settings', async () => {
    await expect(runPanel.getByText('A run costs up to about $12.00.')).toBeVisible();
    await openSettings();
    await expect(settings.getByText('A run costs up to about $12.00.')).toBeVisible();
    await expect(
      settings.getByText('From the prices of the models and the limits of the nodes.'),
    ).toBeVisible();
  });

  await test.step('a budget of the run is an upper bound of it', async () => {
    await settings.getByLabel('Cost per run (US dollars)').fill('0.25');
    await settings.getByLabel('Cost per day (US dollars)').fill('much');
    await page.keyboard.press('Enter');
    await expect(settings.getByText('Enter a number')).toBeVisible();
    await expectReadable(page);
    await settings.getByLabel('Cost per day (US dollars)').fill('0.30');
    await page.keyboard.press('Enter');
    await expect(settings).toBeHidden();
    await expect(runPanel.getByText('A run costs up to about $0.25.')).toBeVisible();
  });

  const run = async () => {
    models.answer(says('Hello'));
    await runPanel.getByRole('textbox', { name: 'text' }).fill('Hi');
    await page.keyboard.press('ControlOrMeta+Enter');
  };

  await test.step('88 % of the budget of the run is a warning, 73 % of that of the day is none', async () => {
    await run();
    await page
      .getByRole('dialog', { name: 'Test run with real effects?' })
      .getByRole('button', { name: 'Run' })
      .press('Enter');
    await expect(runPanel.getByText('Success', { exact: true })).toBeVisible();
    await expect(
      page.getByRole('status').filter({ hasText: 'Cost budget of this run: $0.22 of $0.25 is spent.' }),
    ).toBeVisible();
    await expect(page.getByText('Cost budget of this workflow for today')).toBeHidden();
    await expect(runPanel.getByText('A run costs up to about $0.22.')).toBeVisible();
    await expectReadable(page);
  });

  await test.step('what is used up calls no model any more, and says so', async () => {
    await run();
    const used = page
      .getByRole('status')
      .filter({ hasText: 'Cost budget of this workflow for today: $0.44 of $0.30 is spent.' });
    await expect(used).toContainText('Models are not called any more.');
    await expectReadable(page);
    const calls = models.seen.length;
    await run();
    await expect(runPanel.getByText('Error', { exact: true })).toBeVisible();
    await expect(runPanel.getByRole('listitem').filter({ hasText: 'reply' })).toContainText('budget');
    expect(models.seen).toHaveLength(calls);
  });
  models.stop();
});
