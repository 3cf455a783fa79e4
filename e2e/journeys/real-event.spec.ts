// Leads through: editor/panel/real-event
import { violations } from './support/axe.ts';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, test } from './support/journey.ts';

const node = (id: string, type: string, x: number, data: object) => ({
  id,
  type,
  position: { x, y: 0 },
  data: { label: id, ...data },
});
const ORDERS = {
  name: 'Orders',
  nodes: [
    node('hook', 'webhookTrigger', 0, {}),
    node('out', 'output', 280, { message: 'order $hook.body.order' }),
  ],
  edges: [{ id: 'e', source: 'hook', target: 'out' }],
};

test('a webhook shows one real delivery, and the deliveries that started runs', async ({ person }) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, ORDERS);
  await editor.open(workflow.id);
  await editor.choose('hook');
  const event = editor.panel.getByRole('region', { name: 'Real event' });
  const pinned = editor.panel.getByRole('textbox', { name: 'Pinned data' });
  const deliver = (path: string, order: number) => page.request.post(path, { data: { order } });

  await test.step('a node that has started no run says so', async () => {
    await event.getByRole('button', { name: 'Earlier events' }).click();
    await expect(page.getByText('This node has started no run yet.')).toBeVisible();
    await page.keyboard.press('Escape');
  });
  await test.step('a delivery to the test address becomes its pinned data, and the address is gone', async () => {
    await event.getByRole('button', { name: 'Listen for an event' }).click();
    await expect(event.getByText('Waiting for an event')).toBeVisible();
    expect(await violations(page)).toEqual([]);
    const path = /\/api\/webhooks\/test\/[\w-]+/.exec(await event.innerText())?.[0] ?? '';
    expect((await deliver(path, 7)).status()).toBe(200);
    await expect(event.getByText('Received, and kept as pinned data.')).toBeVisible();
    await expect(pinned).toHaveValue(/"order": 7/);
    expect((await deliver(path, 8)).status()).toBe(404);
  });
  await test.step('listening can be stopped', async () => {
    await event.getByRole('button', { name: 'Listen for an event' }).click();
    await expect(event.getByText('Waiting for an event')).toBeVisible();
    await event.getByRole('button', { name: 'Stop listening' }).click();
    await expect(event.getByText('Waiting for an event')).toBeHidden();
  });
  await test.step('an event that started a run can be chosen', async () => {
    expect((await deliver('/api/webhooks/hook', 9)).status()).toBeLessThan(300);
    await page.reload();
    await editor.choose('hook');
    await event.getByRole('button', { name: 'Earlier events' }).click();
    await page.getByRole('menuitem').first().click();
    await expect(pinned).toHaveValue(/"order": 9/);
  });
});
