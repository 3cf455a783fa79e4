// Leads through: features/conversation, editor/assistant, editor/fields/skills
import { chatStream } from '../../packages/models/src/testing/fake-provider.ts';
import { violations } from './support/axe.ts';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, test } from './support/journey.ts';
import { addModel, chooseModel, openAssistant, says, startModels, uses } from './support/models.ts';
import { overflow } from './support/overflow.ts';

const start = { id: 'start', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'start' } };
const out = {
  id: 'out',
  type: 'output',
  position: { x: 300, y: 0 },
  data: { label: 'out', message: '$start.text' },
};

for (const look of [
  { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const) {
  test.describe(`in the ${look.colorScheme} theme at ${look.viewport.width} px`, () => {
    test.use({ contextOptions: { colorScheme: look.colorScheme }, viewport: look.viewport });

    test('a person asks, confirms a run, stops an answer and finds the chat again', async ({ person }) => {
      const { page } = person;
      const models = await startModels();
      await page.goto('/assistant');
      await expect(page.getByRole('link', { name: 'Add a credential' })).toBeVisible();
      expect(await violations(page)).toEqual([]);

      await addModel(person, models);
      const { id } = await createWorkflow(person, {
        name: 'Greeter',
        nodes: [start, out],
        edges: [{ id: 'e', source: 'start', target: 'out' }],
      });
      await page.reload();
      await chooseModel(page, 'large-1');
      await expect(page.getByRole('heading', { name: 'Ask about your workflows' })).toBeVisible();

      models.answer(uses('list_workflows', {}), says('You have **one** workflow:\n\n', '1. Greeter'));
      const message = page.getByRole('textbox', { name: 'Message' });
      await message.fill('What do I have?');
      await message.press('Enter');
      await expect(page.getByText('Looking up workflows')).toBeVisible();
      await expect(page.locator('strong', { hasText: 'one' })).toBeVisible();
      expect(await violations(page)).toEqual([]);

      models.answer(uses('run_workflow', { workflow_id: id, input: { text: 'ahoy' } }));
      await message.fill('Run Greeter with ahoy');
      await page.getByRole('button', { name: 'Send' }).click();
      const card = page.getByRole('region', { name: 'Run “Greeter”?' });
      await expect(card).toContainText('ahoy');
      expect(await violations(page)).toEqual([]);
      models.answer(says('It said ahoy.'));
      await card.getByRole('button', { name: 'Confirm' }).press('Enter');
      await expect(page.getByText('It said ahoy.')).toBeVisible();
      await expect(card).toContainText('Confirmed');
      await expect(page.getByRole('link', { name: 'Open run' })).toBeVisible();

      // Enter sends only once the answer before is complete.
      await expect(page.getByRole('button', { name: 'Send' })).toBeVisible();
      models.answer({ chunks: chatStream(['A long story']).slice(0, 2), end: 'hang' });
      await message.fill('Tell a story');
      await message.press('Enter');
      await expect(page.getByText('A long story')).toBeVisible();
      await page.getByRole('button', { name: 'Stop' }).click();
      await expect(page.getByText('Stopped')).toBeVisible();

      await expect.poll(() => overflow(page)).toBe(0);

      await page.reload();
      await expect(page.getByText('It said ahoy.')).toBeVisible();
      await expect(page.getByText('Stopped')).toBeVisible();
      await expect(card).toContainText('Confirmed');
      await page.getByRole('button', { name: 'New chat' }).press('Enter');
      await expect(page.getByRole('heading', { name: 'Ask about your workflows' })).toBeVisible();
      await page.getByRole('button', { name: 'Earlier chats' }).press('Enter');
      const list = page.getByRole('dialog', { name: 'Earlier chats' });
      await expect(list.getByRole('button', { name: /^What do I have\?/ })).toBeVisible();
      expect(await violations(page, { within: '[role=dialog]' })).toEqual([]);
      await list.getByRole('button', { name: 'Rename What do I have?' }).press('Enter');
      const rename = page.getByRole('dialog', { name: 'Rename chat' });
      await rename.getByRole('textbox').fill('Greetings');
      await rename.getByRole('textbox').press('Enter');
      await expect(rename).toBeHidden();
      await list.getByRole('textbox', { name: 'Search chats' }).fill('nothing like it');
      await expect(list.getByRole('heading', { name: 'No chat found' })).toBeVisible();
      await list.getByRole('textbox', { name: 'Search chats' }).fill('greet');
      await list.getByRole('button', { name: /^Greetings/ }).press('Enter');
      await expect(list).toBeHidden();
      await expect(page.getByText('It said ahoy.')).toBeVisible();
      await page.getByRole('button', { name: 'Earlier chats' }).press('Enter');
      await list.getByRole('button', { name: 'Delete Greetings' }).press('Enter');
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await expect(list.getByRole('heading', { name: 'No chats yet' })).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('heading', { name: 'Ask about your workflows' })).toBeVisible();
      models.stop();
    });
  });
}

test('an answer continues while the page is closed, and is there afterwards', async ({ person }) => {
  const { page } = person;
  const models = await startModels();
  await addModel(person, models);
  await page.goto('/assistant');
  await chooseModel(page, 'small-1');
  let release = () => undefined as void;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const chunks = chatStream(['Once upon a time ', 'there was a mill.']);
  models.answer({ chunks: [...chunks.slice(0, 2), released, ...chunks.slice(2)] });
  await page.getByRole('textbox', { name: 'Message' }).fill('Tell a story');
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  await expect(page.getByText('Once upon a time')).toBeVisible();
  await expect(page).toHaveURL(/chat=/);
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address);
  await expect(page.getByText('Once upon a time')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  release();
  await expect(page.getByText('there was a mill.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send' })).toBeVisible();
  models.stop();
});

test('a file is sent along, and a failure of the provider is shown in its words', async ({ person }) => {
  const { page } = person;
  const models = await startModels();
  await addModel(person, models);
  await page.goto('/assistant');
  await chooseModel(page, 'small-1');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach a file' }).click();
  await (await chooser).setFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('x;y') });
  await expect(page.getByText('Attached: a.csv')).toBeVisible();
  models.answer({
    status: 400,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify({ error: { message: 'The model is on holiday' } })],
  });
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('alert')).toContainText('The model is on holiday');
  const asked = models.seen.filter(({ path }) => !path.includes('/models'));
  expect(JSON.stringify(asked.map(({ body }) => body))).toContain('x;y');
  models.stop();
});

test('the editor shows a proposed change, which is rejected, accepted in part and undone', async ({
  person,
}) => {
  const { page } = person;
  const models = await startModels();
  await addModel(person, models);
  const { id } = await createWorkflow(person, {
    name: 'Greeter',
    nodes: [start, out],
    edges: [{ id: 'e', source: 'start', target: 'out' }],
  });
  const proposal = {
    name: 'Greeter',
    nodes: [
      start,
      { id: 'pause', type: 'wait', data: { label: 'pause', duration: 1000 } },
      { ...out, data: { label: 'out', message: 'Waited after $pause' } },
    ],
    edges: [
      { source: 'start', target: 'pause' },
      { source: 'pause', target: 'out' },
    ],
  };
  await page.goto(`/workflows/${id}`);
  const dialog = await openAssistant(page);
  let asked = 0;
  const ask = async () => {
    asked += 1;
    models.answer(uses('propose_workflow', proposal), says('It waits for a second now.'));
    await dialog.getByRole('textbox', { name: 'Message' }).fill('Wait a second before the answer');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await expect(dialog.getByText('It waits for a second now.')).toHaveCount(asked);
  };
  const shown = dialog.getByRole('region', { name: 'Proposed change' });
  await ask();
  await expect(shown).toContainText('1 added');
  expect(await violations(page, { within: '[role=dialog]' })).toEqual([]);
  await shown.getByRole('button', { name: 'Reject' }).click();
  await expect(shown).toBeHidden();

  await expect(dialog.getByText('You rejected this proposal')).toBeVisible();

  await ask();
  await expect(shown).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Assistant' }).click();
  await expect(dialog.getByText('It waits for a second now.')).toHaveCount(2);
  await shown.getByRole('checkbox', { name: /^Add pause/ }).press('Space');
  await expect(shown.getByRole('alert')).toContainText('“out” reads “pause”');
  await expect(shown.getByRole('button', { name: 'Accept selected parts' })).toBeDisabled();
  await shown.getByRole('checkbox', { name: /^Add pause/ }).press('Space');
  await shown.getByRole('checkbox', { name: /^Change out/ }).press('Space');
  expect(await violations(page, { within: '[role=dialog]' })).toEqual([]);
  await shown.getByRole('button', { name: 'Accept selected parts' }).press('Enter');
  await expect(page.getByText('The proposal is in the draft')).toBeVisible();
  await expect(dialog.getByText('You accepted a part of this proposal')).toBeVisible();
  await page.keyboard.press('Escape');
  const node = page.locator('.react-flow__node').filter({ hasText: 'pause' });
  await expect(node).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect(node).toBeHidden();
  models.stop();
});

test('the builder of skills writes a text that the agent takes over', async ({ person }) => {
  const { page } = person;
  const models = await startModels();
  await addModel(person, models);
  const { id } = await createWorkflow(person, {
    name: 'Desk',
    nodes: [start, { id: 'agent', type: 'agent', position: { x: 300, y: 0 }, data: { label: 'agent' } }],
    edges: [{ id: 'e', source: 'start', target: 'agent' }],
  });
  const editor = locateEditor(page);
  await editor.open(id);
  await editor.choose('agent');
  const skills = page.getByRole('group', { name: 'Skills' });
  await skills.getByRole('button', { name: 'Add row' }).press('Enter');
  await skills.getByRole('button', { name: 'Skill builder' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Skill builder' });
  await chooseModel(dialog, 'small-1');
  const content = '---\nname: complaints\ndescription: x\n---\n# Complaints';
  models.answer(
    uses('write_skill', { files: [{ path: 'SKILL.md', content }] }),
    says('It answers complaints now.'),
  );
  await dialog.getByRole('textbox', { name: 'Message' }).fill('Answer complaints');
  await dialog.getByRole('textbox', { name: 'Message' }).press('Enter');
  await expect(dialog.getByText('It answers complaints now.')).toBeVisible();
  await expect(dialog.getByRole('region', { name: 'SKILL.md' })).toContainText('# Complaints');
  expect(await violations(page, { within: '[role=dialog]' })).toEqual([]);
  await dialog.getByRole('button', { name: 'Use this skill' }).press('Enter');
  await expect(dialog).toBeHidden();
  await expect(skills.getByRole('textbox', { name: 'Name of skill 1' })).toHaveValue('complaints');
  await expect(skills.getByRole('textbox', { name: 'Text of skill 1' })).toHaveValue(content);
  models.stop();
});
