import { chatStream } from '../../../packages/models/src/testing/fake-provider.ts';
import { locateEditor } from '../support/editor.ts';
import { createWorkflow, expect, test } from '../support/journey.ts';
import { addModel, startModels } from '../support/models.ts';
import { ORDERS } from '../support/orders.ts';
import { call } from '../support/seed.ts';
import { everyLook } from './looks.ts';

everyLook(
  'evals',
  async ({ join, take }) => {
    const person = await join();
    const { page } = person;
    await page.goto('/evals');
    await expect(page.getByRole('heading', { name: 'No eval suites yet' })).toBeVisible();
    await take(page, 'evals-empty');
    const models = await startModels();
    await addModel(person, models);
    const suite = await call(person, 'POST', '/api/evals/suites', {
      name: 'Capitals',
      description: 'Short answers about countries',
      system_prompt: 'Name the capital. One word.',
      scoring_method: 'contains',
    });
    for (const [input, expected_output] of [
      ['France', 'Paris'],
      ['Italy', 'Rome'],
      ['What is the capital of the country with the most time zones, overseas ones included?', 'Paris'],
    ])
      await call(person, 'POST', `/api/evals/suites/${suite.id}/test-cases`, { input, expected_output });
    await page.goto('/evals');
    await expect(page.getByRole('link', { name: 'Capitals' })).toBeVisible();
    await take(page, 'evals');
    await page.goto(`/evals/${suite.id}`);
    await expect(page.getByRole('textbox', { name: 'Input of test case 3' })).toBeVisible();
    await take(page, 'eval-suite');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const dialog = page.getByRole('dialog');
    for (const model of ['small-1', 'large-1']) {
      await dialog.getByRole('combobox', { name: /^Add a model/ }).click();
      await page.getByRole('option', { name: model }).click();
    }
    await take(page, 'eval-run-dialog');
    models.answer(...['Paris', 'Rome', 'Paris', 'Lyon'].map((text) => ({ chunks: chatStream([text]) })));
    await dialog.getByRole('button', { name: 'Start run' }).click();
    await expect(page.getByText('Completed')).toBeVisible();
    await take(page, 'eval-run');
    await page.getByRole('button', { name: /^Test case 2, large-1/ }).click();
    await expect(dialog.getByRole('region', { name: 'Answer' })).toBeVisible();
    await take(page, 'eval-result');
    models.stop();
  },
  test,
);

everyLook('MCP servers', async ({ join, take }) => {
  const person = await join();
  const { page } = person;
  await page.goto('/mcp');
  await take(page, 'mcp-empty');
  await createWorkflow(person, ORDERS);
  await page.reload();
  await page.getByRole('switch', { name: `Offer ${ORDERS.name}` }).click();
  await expect(page.getByText('What clients see')).toBeVisible();
  await take(page, 'mcp-servers');
  await page.getByText('What clients see').click();
  await page.getByRole('button', { name: 'Send', exact: true }).scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await take(page, 'mcp-inspector');
});

interface Entity {
  readonly entity_name: string;
}

everyLook('the memory of an agent', async ({ join, take, wide }) => {
  const person = await join();
  const { page } = person;
  const { id } = await createWorkflow(person, {
    name: 'Front desk',
    nodes: [
      {
        id: 'desk',
        type: 'agent',
        data: { label: 'desk', persistentMemoryEnabled: true },
        position: { x: 0, y: 0 },
      },
    ],
    edges: [],
  });
  const memory = `/api/workflows/${id}/nodes/desk/agent-memory`;
  const entity = (entity_name: string, entity_type: string, properties = {}) =>
    call<Entity>(person, 'POST', `${memory}/nodes`, { entity_name, entity_type, properties });
  const ada = await entity('Ada Lovelace', 'person', { city: 'London', language: 'English' });
  const acme = await entity('Acme', 'company', { industry: 'anvils' });
  const order = await entity('Order 2026-118', 'order', { total: 1080 });
  const relate = (source: Entity, target: Entity, relationship_type: string) =>
    call(person, 'POST', `${memory}/edges`, {
      source_entity_name: source.entity_name,
      target_entity_name: target.entity_name,
      relationship_type,
    });
  await relate(ada, acme, 'works at');
  await relate(acme, order, 'placed');
  const editor = locateEditor(page);
  await editor.open(id);
  await editor.node('desk').click();
  if (!wide) await page.getByRole('tab', { name: 'Node' }).click();
  await editor.panel.getByRole('button', { name: 'Open memory' }).click();
  await expect(page.getByRole('dialog', { name: 'Memory of desk' })).toContainText('Ada Lovelace');
  await take(page, 'memory');
});
