// Leads through: editor/publish/endpoint
import { violations } from './support/axe.ts';
import { createWorkflow, expect, readWorkflow, test } from './support/journey.ts';
import { chain, node, start } from './support/portal.ts';

const ECHO = chain(start('city'), node('out', 'output', { message: 'You wrote $start.body.city' }));

test('§2.1 §3.2 the endpoint of a workflow: sample bodies, tokens and the streamed call', async ({
  person,
}) => {
  const { page } = person;
  const { id } = await createWorkflow(person, { name: `Called ${Date.now()}`, ...ECHO });
  await page.goto(`/workflows/${id}`);
  await page.getByRole('button', { name: 'Endpoint' }).click();
  const dialog = page.getByRole('dialog', { name: 'Endpoint' });
  const body = dialog.getByRole('textbox', { name: 'Body' });
  const call = dialog.getByRole('region', { name: 'Call' }).or(dialog.getByLabel('Call', { exact: true }));
  const tab = (name: string) => dialog.getByRole('tab', { name }).click();

  await test.step('the sample body has the declared fields, or is any JSON', async () => {
    await expect(body).toHaveValue(/"city"/);
    await tab('Settings');
    await dialog.getByRole('combobox', { name: 'Body' }).click();
    await page.getByRole('option', { name: 'Any JSON' }).click();
    await expect.poll(async () => (await readWorkflow(person, id))['webhook_body_mode']).toBe('generic');
    await tab('Call');
    await expect(body).toHaveValue(/"event"/);
    await expect(body).not.toHaveValue(/"city"/);
    await body.fill('{"city": "Oslo"}');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await expect(dialog.getByText('Response 200')).toBeVisible();
    await expect(dialog.getByText('You wrote Oslo')).toBeVisible();
  });

  await test.step('a token is put into the call; a revoked one stays in the list and cannot be used', async () => {
    await tab('Tokens');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    const token = dialog.getByRole('listitem');
    await expect(token.getByRole('button', { name: 'In use' })).toBeVisible();
    await tab('Call');
    await expect(call.first()).toContainText('Authorization: Bearer ey');
    await tab('Tokens');
    await token.getByRole('button', { name: 'Revoke' }).click();
    await expect(token.getByText('revoked')).toBeVisible();
    await expect(token.getByRole('button', { name: /^(Use|In use)$/ })).toHaveCount(0);
    expect(await violations(page, { within: '[role=dialog]' })).toEqual([]);
    await tab('Call');
    await expect(call.first()).toContainText('<EXECUTION_TOKEN>');
  });

  await test.step('the call uses the stream when streaming is on', async () => {
    await tab('Stream');
    await dialog.getByRole('switch', { name: 'Stream events' }).click();
    await expect.poll(async () => (await readWorkflow(person, id))['sse_enabled']).toBe(true);
    await tab('Call');
    await expect(call.first()).toContainText(`/api/workflows/${id}/execute/stream`);
    await expect(call.first()).toContainText('Accept: text/event-stream');
  });
});
