// Leads through: features/credential, editor/assistant
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, test } from './support/journey.ts';
import { addModel, openAssistant, says, startModels, uses } from './support/models.ts';
import { expectReadable, PHONE } from './support/readable.ts';

const KEY = 'k-secret-0123456789';
const place = (x: number) => ({ x, y: 0 });
const start = { id: 'start', type: 'textInput', position: place(0), data: { label: 'start' } };
const ask = {
  id: 'ask',
  type: 'llm',
  position: place(300),
  data: { label: 'ask', credentialId: '', model: 'small-1', userMessage: 'Hi' },
};
const edges = [{ id: 'e', source: 'start', target: 'ask' }];

test('the assistant asks for a credential, which is added on its card and never in the chat', async ({
  person,
}) => {
  const { page } = person;
  const models = await startModels();
  await addModel(person, models);
  const { id } = await createWorkflow(person, { name: 'Talker', nodes: [start], edges: [] });
  await page.goto(`/workflows/${id}`);
  const dialog = await openAssistant(page);
  models.answer(
    uses('propose_workflow', { name: 'Talker', nodes: [start, ask], edges }),
    uses('ask_for_credential', { node_id: 'ask', reason: 'It calls a model of your provider.' }),
  );
  await dialog.getByRole('textbox').fill('Add a model');
  await dialog.getByRole('textbox').press('Enter');
  const card = dialog.getByRole('region', { name: '“ask” needs a credential' });
  await expect(card).toContainText('It calls a model of your provider.');
  await expect(card).toContainText('Accept the proposed change first');
  await expect(card.getByRole('button', { name: 'Use this credential' })).toBeDisabled();
  await dialog
    .getByRole('region', { name: 'Proposed change' })
    .getByRole('button', { name: 'Accept' })
    .press('Enter');
  await card.getByRole('combobox', { name: 'Credential', exact: true }).press('Enter');
  await page.getByRole('option', { name: 'New credential' }).press('Enter');
  const picker = page.getByRole('dialog', { name: 'New credential' });
  await expect(picker.getByRole('button', { name: 'OpenAI', exact: true })).toBeVisible();
  await expect(picker.getByRole('button', { name: 'Slack' })).toBeHidden();
  await picker.getByRole('button', { name: 'OpenAI', exact: true }).press('Enter');
  const form = page.getByRole('dialog', { name: 'OpenAI' });
  await form.getByLabel('Name').fill('My provider');
  await form.getByLabel('API key').fill(KEY);
  await form.getByRole('button', { name: 'Create' }).press('Enter');
  await expect(form).toBeHidden();
  await expect(card.getByRole('combobox')).toContainText('My provider');
  await expectReadable(page, { within: '[role=dialog]' });
  await page.setViewportSize(PHONE);
  models.answer(says('It is ready.'));
  await card.getByRole('button', { name: 'Use this credential' }).press('Enter');
  await expect(dialog.getByText('It is ready.')).toBeVisible();
  await expect(card).toContainText('Credential chosen');
  expect(JSON.stringify(models.seen.at(-1)?.body)).toContain('My provider');
  expect(JSON.stringify(models.seen)).not.toContain(KEY);
  models.stop();
});

test('a credential is added and changed at the node that needs it', async ({ person }) => {
  const { page } = person;
  const { id } = await createWorkflow(person, { name: 'Talker', nodes: [start, ask], edges });
  const editor = locateEditor(page);
  const { panel } = editor;
  await editor.open(id);
  await editor.choose('ask');
  await panel.getByRole('combobox', { name: 'Credential', exact: true }).press('Enter');
  await page.getByRole('option', { name: 'New credential' }).press('Enter');
  await page
    .getByRole('dialog', { name: 'New credential' })
    .getByRole('button', { name: 'OpenAI', exact: true })
    .press('Enter');
  const form = page.getByRole('dialog', { name: 'OpenAI' });
  await form.getByLabel('Name').fill('My provider');
  await form.getByLabel('API key').fill(KEY);
  await form.getByRole('button', { name: 'Create' }).press('Enter');
  const field = panel.getByRole('combobox', { name: 'Credential', exact: true });
  await expect(field).toContainText('My provider');
  await panel.getByRole('button', { name: 'Edit credential “My provider”' }).press('Enter');
  const edited = page.getByRole('dialog', { name: 'Edit “My provider”' });
  await edited.getByLabel('Name').fill('Our provider');
  await edited.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(edited).toBeHidden();
  await expect(field).toContainText('Our provider');
  await editor.save();
  await page.goto('/credentials');
  await page.getByRole('button', { name: 'Actions for Our provider' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(page.getByRole('dialog')).toContainText('It is used in “Talker”.');
});
