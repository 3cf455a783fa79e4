// Leads through: editor/fields/mcp
import { violations } from './support/axe.ts';
import { locateEditor } from './support/editor.ts';
import { test as base, createWorkflow, expect, productWith, readWorkflow } from './support/journey.ts';
import { expectReadable } from './support/readable.ts';

/** Programs are started by a container engine, which this product does not have. */
const test = base.extend<object, object>({
  product: productWith({ DOCKER_HOST: 'unix:///nowhere/docker.sock' }),
});

const PROGRAM = {
  transport: 'stdio',
  command: 'npx',
  args: '-y some-server@1.2.0',
  env: { API_TOKEN: '$credentials.shop' },
  packages: 'lodash@4.17.21',
  allowNetwork: true,
};

test('§8.4 a server that is a program is entered at a call and at an agent, and its tools say what is missing', async ({
  person,
}) => {
  const { page } = person;
  const press = (key: string) => page.keyboard.press(key);
  const at = (x: number) => ({ x, y: 0 });
  const { id } = await createWorkflow(
    person,
    {
      name: 'Programs',
      nodes: [
        { id: 'start', type: 'textInput', position: at(0), data: { label: 'start' } },
        { id: 'ask', type: 'mcpCall', position: at(300), data: { label: 'ask', toolArguments: {} } },
        { id: 'desk', type: 'agent', position: at(600), data: { label: 'desk', model: 'small-1' } },
      ],
      edges: [
        { id: 'a', source: 'start', target: 'ask' },
        { id: 'b', source: 'ask', target: 'desk' },
      ],
    },
    { draft: true },
  );
  const readData = async (label: string) => {
    const { nodes } = (await readWorkflow(person, id)) as unknown as {
      nodes: { id: string; data: Record<string, unknown> }[];
    };
    return nodes.find((node) => node.id === label)?.data;
  };
  const editor = locateEditor(page);
  const { panel } = editor;
  const chooseProgram = async () => {
    await panel.getByRole('combobox', { name: 'Transport' }).press('Enter');
    await expect(page.getByRole('option', { name: 'Streamable HTTP' })).toBeFocused();
    await press('End');
    await expect(page.getByRole('option', { name: 'Program (stdio)' })).toBeFocused();
    await press('Enter');
    await expect(panel.getByRole('textbox', { name: 'Server URL' })).toBeHidden();
  };
  const fillProgram = async () => {
    await editor.write('Command', PROGRAM.command);
    await editor.write('Arguments', PROGRAM.args);
    const variables = panel.getByRole('group', { name: 'Environment variables' });
    await variables.getByRole('button', { name: 'Add row' }).press('Enter');
    await expect(variables.getByRole('textbox', { name: 'Name 1' })).toBeFocused();
    await page.keyboard.type('API_TOKEN');
    await editor.write('Value 1', PROGRAM.env.API_TOKEN);
    await editor.write('Further packages', PROGRAM.packages);
    await panel.getByRole('switch', { name: 'Network' }).press('Space');
  };
  await editor.open(id);

  await test.step('at a call', async () => {
    await editor.choose('ask');
    await chooseProgram();
    await fillProgram();
    await editor.save();
    expect((await readData('ask'))?.['connection']).toMatchObject(PROGRAM);
    await expectReadable(page);
  });

  await test.step('an expression has no value before a run, so the tools cannot be listed', async () => {
    await expect(panel.getByRole('button', { name: 'Choose', exact: true })).toBeDisabled();
    await editor.write('Value 1', 'token');
  });

  await test.step('without a container engine the list of tools says how to get one', async () => {
    await panel.getByRole('button', { name: 'Choose', exact: true }).press('Enter');
    const refusal = page.getByRole('dialog', { name: 'Tool' }).getByRole('alert');
    await expect(refusal).toContainText(/^No sandbox is started, because no container engine can be reached/);
    await expect(refusal).toContainText('set DOCKER_HOST');
    expect(await violations(page)).toEqual([]);
    await press('Escape');
    await expect(refusal).toBeHidden();
  });

  await test.step('the run fails with the same words at its node', async () => {
    await editor.write('Tool', 'search');
    await editor.save();
    await editor.run();
    await page
      .getByRole('dialog', { name: 'Test run with real effects?' })
      .getByRole('button', { name: 'Run' })
      .press('Enter');
    await expect(editor.runPanel.getByRole('listitem').filter({ hasText: 'ask' })).toContainText(
      'set DOCKER_HOST',
    );
  });

  await test.step('at an agent', async () => {
    await editor.choose('desk');
    const servers = panel.getByRole('group', { name: 'MCP servers' });
    await servers.getByRole('button', { name: 'Add row' }).press('Enter');
    await expect(servers.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused();
    await page.keyboard.type('shop');
    await chooseProgram();
    await fillProgram();
    await editor.save();
    expect((await readData('desk'))?.['mcpConnections']).toMatchObject([{ ...PROGRAM, label: 'shop' }]);
    await expectReadable(page);
  });
});
