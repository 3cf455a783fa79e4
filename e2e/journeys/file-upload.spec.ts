// Leads through: features/run-view
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, test } from './support/journey.ts';

const node = (id: string, type: string, x: number, data: object) => ({
  id,
  type,
  position: { x, y: 0 },
  data: { label: id, ...data },
});
const INTAKE = {
  name: 'Price list',
  nodes: [
    node('list', 'fileUploadTrigger', 0, { allowedTypes: '.csv', maxSizeMb: 1 }),
    node('out', 'output', 280, { message: 'got $list.file.name' }),
  ],
  edges: [{ id: 'e', source: 'list', target: 'out' }],
};

test('a workflow that begins with a file takes it on the canvas and by the command, and shows its run', async ({
  person,
}) => {
  const { page } = person;
  const editor = locateEditor(page);
  const workflow = await createWorkflow(person, INTAKE);
  await editor.open(workflow.id);
  await editor.run();
  const panel = editor.runPanel;
  await expect(panel.getByRole('region', { name: 'Command to upload the file' })).toContainText('curl -F');
  await expect(panel.getByText('At most 1 MB; .csv')).toBeVisible();

  const choose = async (name: string) => {
    const chooser = page.waitForEvent('filechooser');
    await panel.getByRole('button', { name: 'Choose a file' }).click();
    await (await chooser).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('a;b\n') });
  };
  await test.step('a file of another type is refused with a message, and the slot stays', async () => {
    await choose('prices.txt');
    await expect(panel.getByRole('alert')).toContainText('the address takes .csv');
  });
  await test.step('the right one starts the run', async () => {
    await choose('prices.csv');
    await expect(panel.getByText('Success', { exact: true })).toBeVisible();
    await expect(panel.getByRole('region', { name: 'Outputs' })).toContainText('got prices.csv');
  });
  await test.step('a file that the command sends is seen here, too; a reload keeps the slot', async () => {
    await editor.run();
    const command = panel.getByRole('region', { name: 'Command to upload the file' });
    await expect(command).toContainText('curl -F');
    await page.reload();
    await expect(command).toContainText('curl -F');
    const token = /\/u\/([\w-]+)/.exec(await command.innerText())?.[1];
    const answer = await page.request.post(`/api/file-intake/u/${token}`, {
      multipart: { file: { name: 'night.csv', mimeType: 'text/csv', buffer: Buffer.from('a;b\n') } },
    });
    expect(answer.status()).toBe(200);
    await expect(panel.getByRole('region', { name: 'Outputs' })).toContainText('got night.csv');
  });
});
