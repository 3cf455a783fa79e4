// Leads through: editor/publish/versions
import type { Page } from '@playwright/test';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, readWorkflow, test } from './support/journey.ts';

/** An export as another tool of the field writes it. */
const EXPORT = {
  name: 'Imported',
  nodes: [
    {
      id: 'n1',
      type: 'textInput',
      position: { x: 0, y: 0 },
      data: { label: 'incoming', inputFields: [{ key: 'text' }] },
    },
    {
      id: 'n2',
      type: 'output',
      position: { x: 300, y: 0 },
      data: { label: 'reply', message: '$incoming.text' },
    },
  ],
  edges: [{ id: 'e1', source: 'n1', target: 'n2' }],
};

async function dropFile(page: Page, name: string, content: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([file, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text ?? ''], file ?? '', { type: 'application/json' }));
      return data;
    },
    [name, content],
  );
  const pane = page.locator('.react-flow__pane');
  await pane.dispatchEvent('dragover', { dataTransfer: transfer });
  await pane.dispatchEvent('drop', { dataTransfer: transfer });
}

/** Nodes as n8n copies them; the second has no equal. */
const COPIED = {
  nodes: [
    {
      name: 'When clicked',
      type: 'n8n-nodes-base.manualTrigger',
      typeVersion: 1,
      position: [0, 0],
      parameters: {},
    },
    {
      name: 'Strange',
      type: 'n8n-nodes-base.neverHeardOf',
      typeVersion: 1,
      position: [220, 0],
      parameters: {},
    },
  ],
  connections: { 'When clicked': { main: [[{ node: 'Strange', type: 'main', index: 0 }]] } },
};

test('nodes copied in n8n are pasted, with a report of what was changed', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, { name: 'Paste target' });
  await editor.open(workflow.id);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify(COPIED));
  await page.locator('.react-flow__pane').click({ position: { x: 40, y: 200 } });
  await page.keyboard.press('ControlOrMeta+V');
  await expect(page.locator('.react-flow__node')).toHaveCount(2);
  await page.getByRole('button', { name: 'Show report' }).click();
  const report = page.getByRole('list', { name: 'Import report' });
  await report.getByRole('button', { name: /cannot run here/ }).click();
  await expect(page.locator('.react-flow__node.selected')).toContainText('Strange');
  await page.getByRole('tab', { name: /^Import/ }).click();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByRole('tab', { name: /^Import/ })).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+Z');
  await expect(page.locator('.react-flow__node')).toHaveCount(0);
});

test('a dropped file is imported, versions show what changed, and one click brings one back into the draft', async ({
  person,
}) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, { name: 'Import target' });
  await editor.open(workflow.id);

  await test.step('what is no workflow is refused in words', async () => {
    await dropFile(page, 'notes.json', '{"hello": 1}');
    await expect(page.getByText('notes.json is not a workflow')).toBeVisible();
  });

  await test.step('import by dropping', async () => {
    await dropFile(page, 'workflow.json', JSON.stringify(EXPORT));
    await expect(editor.node('incoming')).toBeVisible();
    await expect(editor.node('reply')).toBeVisible();
    await editor.publish();
  });

  await test.step('a full canvas asks before it is replaced', async () => {
    await dropFile(page, 'workflow.json', JSON.stringify(EXPORT));
    const asked = page.getByRole('dialog', { name: 'Replace what is on the canvas?' });
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await expect(editor.node('incoming')).toHaveCount(1);
  });

  await test.step('change, compare and go back', async () => {
    await editor.choose('reply');
    await editor.write('Result', 'changed');
    await editor.publish();
    await page
      .getByRole('region', { name: 'Workflow', exact: true })
      .getByRole('button', { name: 'Versions' })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Versions' });
    await dialog.getByRole('button', { name: /^Version 2/ }).click();
    await expect(dialog.getByText('1 changed')).toBeVisible();
    await dialog.getByRole('button', { name: 'Restore version 2' }).click();
    await expect(dialog).toBeHidden();
    await editor.isSaved();
    await expect
      .poll(async () => JSON.stringify((await readWorkflow(person, workflow.id))['nodes']))
      .toContain('$incoming.text');
    await editor.choose('reply');
    await expect(editor.panel.getByRole('textbox', { name: 'Result', exact: true })).toHaveText(
      '$incoming.text',
    );
  });
});

test('nodes that were stored without positions are laid out when the workflow is opened', async ({
  person,
}) => {
  const { page } = person;
  const editor = locateEditor(page);
  const nodes = EXPORT.nodes.map(({ id, type, data }) => ({ id, type, data }));
  const workflow = await createWorkflow(person, { ...EXPORT, nodes });
  await editor.open(workflow.id);
  await expect
    .poll(async () => {
      const [first, second] = await Promise.all(
        ['incoming', 'reply'].map((label) => editor.node(label).boundingBox()),
      );
      return first && second ? second.x - (first.x + first.width) : 0;
    })
    .toBeGreaterThan(0);
  await editor.isSaved();
});
