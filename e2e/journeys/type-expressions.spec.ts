// Leads through: editor/fields, editor/fields/code, editor/fields/http
import type { FieldMeta, NodeDefinition } from '@millrace/engine';
import type { Locator, Page } from '@playwright/test';
import { fieldMeta, isShown } from '../../packages/engine/src/index.ts';
import { catalog } from '../../packages/nodes/src/catalog.ts';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, openBrowser, register, test } from './support/journey.ts';

/** Valid and invalid many times on its way; its letters are shortcuts of the canvas (`n`, `d`, `p`, `?`). */
const TEXT = '$order.body.items.filter("item.n > 2").map("item.name")[0] ?? "nd"';

/** Kinds of fields that people type into. That no field of any node loses its focus is `panel/every-field.test.tsx`. */
const TYPED: readonly FieldMeta['kind'][] = [
  'cases',
  'code',
  'condition',
  'cron',
  'event_key',
  'expression',
  'html',
  'input_fields',
  'json',
  'mappings',
  'markdown',
  'mcp_tool',
  'multiline',
  'number',
  'resource',
  'rows',
  'text',
];
/** Kinds that people choose from, switch, or open a dialog of; curl is a form of its own, which `http-form.spec.ts` fills in. */
const CHOSEN: readonly FieldMeta['kind'][] = [
  'agent_labels',
  'agent_memory',
  'boolean',
  'choice',
  'choices',
  'color',
  'credential',
  'curl',
  'data_table',
  'hidden',
  'mcp_arguments',
  'mcp_connection',
  'mcp_connections',
  'node_label',
  'operation',
  'python_tools',
  'skills',
  'tool_reviews',
  'vector_store',
  'workflow',
  'workflows',
];

interface FieldOfKind {
  readonly node: NodeDefinition;
  readonly meta: FieldMeta;
}

/** The first field of each kind that a new node shows. */
function findFields(): Map<string, FieldOfKind> {
  const found = new Map<string, FieldOfKind>();
  for (const node of catalog.all)
    for (const schema of Object.values(node.params.shape)) {
      const meta = fieldMeta(schema);
      if (!meta || found.has(meta.kind)) continue;
      if (isShown(meta, node.initial, node.params.shape)) found.set(meta.kind, { node, meta });
    }
  return found;
}

const readBack = (field: Locator): Promise<string> =>
  field.evaluate((element) =>
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
      ? element.value
      : [...element.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
  );

/** The first text box at or behind the label of a field. */
async function findTextbox(panel: Locator, title: string): Promise<Locator> {
  const named = panel.getByRole('textbox', { name: title, exact: true });
  if ((await named.count()) > 0) return named.first();
  const label = panel.getByText(title, { exact: true }).first();
  return label
    .locator('xpath=following::*[self::input or self::textarea or @contenteditable="true"]')
    .first();
}

/** Presses one key after the other, as a person does, and looks at what the field holds then. */
async function typeInto(page: Page, field: Locator): Promise<void> {
  await field.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  // Without a pause: each key still waits until the page has taken the one before.
  await page.keyboard.type(TEXT);
  await expect.poll(() => readBack(field)).toBe(TEXT);
  await expect(field).toBeFocused();
}

const fields = findFields();
let page: Page;

// They share one editor, in which nodes are added and removed; after a failure the next test gets a new one.
test.beforeAll(async ({ browser, product, contextOptions }) => {
  const context = await openBrowser(browser, product, contextOptions);
  page = await context.newPage();
  const { id } = await createWorkflow(await register(page, product), { name: 'Every kind of field' });
  await locateEditor(page).open(id);
});

test.afterAll(() => page.context().close());

test('every kind of field is typed into or chosen from', () => {
  expect([...fields.keys()].filter((kind) => ![...TYPED, ...CHOSEN].some((known) => known === kind))).toEqual(
    [],
  );
});

for (const kind of TYPED) {
  const found = fields.get(kind);
  test(`a field of the kind ${kind} keeps the focus while an expression is typed`, async () => {
    if (!found) throw new Error(`no new node shows a field of the kind ${kind}`);
    const { node, meta } = found;
    const { palette, canvas, panel } = locateEditor(page);
    const nodes = canvas.getByRole('group');
    await palette.getByRole('button', { name: `${node.title} ${node.summary}` }).click();
    await expect(nodes).toHaveCount(1);
    // Forms are loaded with the panel.
    await panel.getByRole('textbox').first().waitFor();
    await expect(panel.locator('[data-skeleton]')).toHaveCount(0);
    for (const button of await panel.getByRole('button', { name: 'Add row', exact: true }).all())
      await button.click();
    await typeInto(page, await findTextbox(panel, meta.title));
    await page.keyboard.press('Escape');
    await expect(nodes).toHaveCount(1);
    await nodes.click();
    await page.keyboard.press('Delete');
    await expect(nodes).toHaveCount(0);
  });
}
