// Leads through: features/conversation, editor/assistant
import { createWorkflow, expect, test } from './support/journey.ts';
import { addModel, openAssistant, says, startModels, uses } from './support/models.ts';
import { expectReadable, PHONE } from './support/readable.ts';

const start = { id: 'start', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'start' } };
const place = { x: 300, y: 0 };
const broken = {
  id: 'check',
  type: 'throwError',
  position: place,
  data: { label: 'check', errorMessage: 'The name is too short' },
};
const repaired = {
  id: 'check',
  type: 'output',
  position: place,
  data: { label: 'check', message: '"Hello " + $start.body.name' },
};
const edges = [{ id: 'e', source: 'start', target: 'check' }];

test('the assistant finds the failed run, repairs the draft, and runs it on the recorded input', async ({
  person,
}) => {
  const { page, context } = person;
  const models = await startModels();
  await addModel(person, models);
  const { id } = await createWorkflow(person, { name: 'Greeter', nodes: [start, broken], edges });
  const failed = await context.request.post(`/api/workflows/${id}/execute`, { data: { name: 'Al' } });
  const run_id = failed.headers()['x-execution-id'];
  await page.goto(`/workflows/${id}`);
  const dialog = await openAssistant(page);
  models.answer(
    uses('find_failed_run', {}),
    uses('propose_workflow', { name: 'Greeter', nodes: [start, repaired], edges }),
    uses('try_draft', { run_id }),
  );
  await dialog.getByRole('button', { name: 'Why did the last run fail? Repair it.' }).press('Enter');
  const card = dialog.getByRole('region', { name: /^Run the draft of “Greeter”/ });
  await expect(card).toContainText('nothing is sent twice');
  await expect(dialog.getByText('Looking for the failed run')).toBeVisible();
  // The change that is run is the one that was accepted.
  await expect(card.getByRole('button', { name: 'Confirm' })).toBeDisabled();
  await expect(dialog.getByText('Accept or reject this change')).toBeVisible();
  await expectReadable(page, { within: '[role=dialog]' });
  await page.setViewportSize(PHONE);
  await dialog
    .getByRole('region', { name: 'Proposed change' })
    .getByRole('button', { name: 'Accept' })
    .press('Enter');
  await expect(page.getByText('The proposal is in the draft')).toBeVisible();
  models.answer(says('It greets now.'));
  await card.getByRole('button', { name: 'Confirm' }).press('Enter');
  await expect(dialog.getByText('It greets now.')).toBeVisible();
  await expect(card).toContainText('Confirmed');
  expect(JSON.stringify(models.seen.at(-1)?.body)).toContain('Hello Al');
  await dialog.getByRole('link', { name: 'Open run' }).press('Enter');
  await expect(page.getByRole('button', { name: /^check .* Success/ })).toBeVisible();
  models.stop();
});
