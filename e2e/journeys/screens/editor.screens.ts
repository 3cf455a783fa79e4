import { locateEditor } from '../support/editor.ts';
import { createWorkflow, expect } from '../support/journey.ts';
import { ORDERS } from '../support/orders.ts';
import { everyLook } from './looks.ts';

const BROKEN = {
  name: 'Broken workflow',
  nodes: [
    {
      id: 'in',
      type: 'textInput',
      position: { x: 0, y: 0 },
      data: { label: 'order', inputFields: [{ key: 'pause', defaultValue: '20' }] },
    },
    {
      id: 'w',
      type: 'wait',
      position: { x: 280, y: 0 },
      data: { label: 'wait', duration: '$order.body.pauze' },
    },
  ],
  edges: [{ id: 'e', source: 'in', target: 'w' }],
};

everyLook('the editor', async ({ join, take }) => {
  const person = await join();
  const { page } = person;
  const editor = locateEditor(page);
  const blank = await createWorkflow(person, { name: 'Untitled workflow' });
  await editor.open(blank.id);
  await take(page, 'editor-empty');
  const orders = await createWorkflow(person, ORDERS);
  await editor.open(orders.id);
  await take(page, 'editor');
  await editor.run();
  await expect(editor.runPanel.getByText('Success', { exact: true })).toBeVisible();
  await take(page, 'editor-ran');
  await editor.choose('priced');
  await take(page, 'editor-node');
  await page.getByRole('button', { name: 'Open the node' }).click();
  const detail = page.getByRole('dialog', { name: 'priced' });
  await detail.waitFor();
  await take(page, 'editor-detail');
  for (const pane of ['Input', 'Output']) {
    const tab = detail.getByRole('tab', { name: pane, exact: true });
    if (!(await tab.isVisible())) continue;
    await tab.click();
    await take(page, `editor-detail-${pane.toLowerCase()}`);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Outline' }).click();
  await take(page, 'editor-outline');
  await page
    .getByRole('region', { name: 'Workflow', exact: true })
    .getByRole('button', { name: 'More' })
    .click();
  await page.getByRole('menuitem', { name: 'Endpoint' }).click();
  await page.getByRole('dialog', { name: 'Endpoint' }).waitFor();
  await take(page, 'editor-endpoint');
  await page.keyboard.press('Escape');
  const fresh = await createWorkflow(person, ORDERS, { draft: true });
  await editor.open(fresh.id);
  await page
    .getByRole('region', { name: 'Workflow', exact: true })
    .getByRole('button', { name: 'Publish' })
    .click();
  const publish = page.getByRole('dialog', { name: 'Publish' });
  await expect(publish.getByRole('region', { name: 'Changes' })).toBeVisible();
  await take(page, 'editor-publish');
  await publish.getByRole('button', { name: 'Cancel' }).click();
  const broken = await createWorkflow(person, BROKEN);
  await editor.open(broken.id);
  await editor.run();
  await editor.runPanel.getByRole('button', { name: 'Why?' }).click();
  await take(page, 'editor-failure');
});
