// Leads through: editor/fields/mcp
import { startMcpServer } from '../../packages/nodes/src/testing/servers/mcp-server.ts';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, test } from './support/journey.ts';

/** A product that may call the tool server of this test on the same machine. */

test('a tool of an MCP server is chosen, given arguments and called', async ({ person }) => {
  const { page } = person;
  const tools = await startMcpServer({ token: 'canary-token' });
  const workflow = await createWorkflow(person, {
    name: 'Sum',
    nodes: [
      { id: 'start', type: 'textInput', data: { label: 'start' }, position: { x: 0, y: 0 } },
      { id: 'ask', type: 'mcpCall', data: { label: 'ask', toolArguments: {} }, position: { x: 300, y: 0 } },
      {
        id: 'out',
        type: 'output',
        data: { label: 'out', message: 'The sum is $ask.result.sum' },
        position: { x: 600, y: 0 },
      },
    ],
    edges: [
      { id: 'e', source: 'start', target: 'ask' },
      { id: 'f', source: 'ask', target: 'out' },
    ],
  });
  const editor = locateEditor(page);
  await editor.open(workflow.id);
  await editor.choose('ask');

  await test.step('without an address there is nothing to choose from', async () => {
    await expect(editor.panel.getByRole('button', { name: 'Choose', exact: true })).toBeDisabled();
    await editor.write('Server URL', tools.url);
  });

  await test.step('a refusal of the server is told where the tools would be', async () => {
    await editor.panel.getByRole('button', { name: 'Choose', exact: true }).click();
    await expect(page.getByRole('dialog', { name: 'Tool' }).getByRole('alert')).toContainText(
      'refused the sign-in',
    );
    await page.keyboard.press('Escape');
  });

  await test.step('with its header the server shows its tools', async () => {
    const headers = editor.panel.getByRole('group', { name: 'Header' });
    await headers.getByRole('button', { name: 'Add row' }).click();
    await editor.write('Name 1', 'Authorization');
    await editor.write('Value 1', 'Bearer canary-token');
    await editor.panel.getByRole('button', { name: 'Choose', exact: true }).click();
    await page.getByRole('combobox', { name: 'Tool', exact: true }).fill('add');
    await page.getByRole('option', { name: /^add/ }).click();
  });

  await test.step('its arguments are a form', async () => {
    const form = editor.panel.getByRole('group', { name: 'Arguments' });
    await expect(form.getByRole('textbox')).toHaveCount(3);
    await expect(form.getByText('integer · required')).toHaveCount(2);
    await editor.write('a', '40');
    await editor.write('b', '2');
  });

  await test.step('the call brings its result', async () => {
    await editor.save();
    await editor.run();
    const question = page.getByRole('dialog', { name: 'Test run with real effects?' });
    await question.getByRole('button', { name: 'Run' }).click();
    await expect(editor.runPanel.getByText('Success', { exact: true })).toBeVisible();
    await expect(editor.runPanel.getByRole('region', { name: 'Outputs' })).toContainText('The sum is 42');
  });
  await tools.close();
});
