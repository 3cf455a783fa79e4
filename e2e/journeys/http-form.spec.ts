// Leads through: editor/fields/http
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, readWorkflow, test } from './support/journey.ts';

/** A product that may call the server of this test on the same machine. */

interface Seen {
  url: string | undefined;
  headers: IncomingHttpHeaders;
}

/** An API without the order that it is asked for. */
async function startApi() {
  const seen: Seen[] = [];
  const server = createServer(({ url, headers }, response) => {
    seen.push({ url, headers });
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"message": "no such order"}');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return { seen, port, close: () => server.close() };
}

test('a pasted curl command is a form, and an error status is on the node', async ({ person }) => {
  const { page, context } = person;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const api = await startApi();
  const workflow = await createWorkflow(person, {
    name: 'Order status',
    nodes: [{ id: 'ask', type: 'http', data: { label: 'ask', curl: '' }, position: { x: 0, y: 0 } }],
    edges: [],
  });
  const editor = locateEditor(page);
  const { panel } = editor;
  await editor.open(workflow.id);
  await editor.choose('ask');

  await test.step('a command fills the form', async () => {
    const command = `curl 'http://127.0.0.1:${api.port}/orders?q=two%20words' -H 'X-Shop: north' \\\n  -u 'me:secret' --compressed`;
    await page.evaluate((text) => navigator.clipboard.writeText(text), command);
    await panel.getByRole('textbox', { name: 'Address' }).click();
    await page.keyboard.press('ControlOrMeta+v');
    await expect(panel.getByRole('textbox', { name: 'Address' })).toHaveText(
      `http://127.0.0.1:${api.port}/orders`,
    );
    await expect(panel.getByRole('textbox', { name: 'Value of parameter 1' })).toHaveText('two words');
    await expect(panel.getByRole('combobox', { name: 'Authentication' })).toHaveText(
      'User name and password',
    );
  });

  await test.step('a header is changed and another one added', async () => {
    await editor.write('Value of header 1', "south's");
    await panel.getByRole('group', { name: 'Headers' }).getByRole('button', { name: 'Add row' }).click();
    await editor.write('Header 2', 'X-Id');
    await editor.write('Value of header 2', '$UUID.length');
  });

  await test.step('the text has it all, and what the form has no field for stays text', async () => {
    await panel.getByRole('radio', { name: 'Text' }).click();
    const text = panel.getByRole('textbox', { name: 'Request' });
    await expect(text).toContainText(String.raw`-H 'X-Shop: south'\''s'`);
    await expect(text).toContainText('--compressed');
    await text.click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText(' --retry 3');
    await panel.getByRole('radio', { name: 'Form' }).click();
    await expect(panel.getByText('no place for --retry')).toBeVisible();
    await text.click();
    await page.keyboard.press('ControlOrMeta+End');
    for (let count = 0; count < ' --retry 3'.length; count++) await page.keyboard.press('Backspace');
    await panel.getByRole('radio', { name: 'Form' }).click();
    await expect(panel.getByRole('textbox', { name: 'Value of header 1' })).toHaveText("south's");
  });

  await test.step('the status of the answer is on the node', async () => {
    await editor.run();
    await expect(editor.node('ask').getByText('status 404')).toBeVisible();
    expect(api.seen[0]).toMatchObject({
      url: '/orders?q=two%20words',
      headers: { 'x-shop': "south's", authorization: `Basic ${btoa('me:secret')}` },
    });
  });

  await test.step('a node that is to fail at it fails', async () => {
    await editor.choose('ask');
    await panel.getByRole('switch', { name: 'Fail on error status' }).click();
    await editor.run();
    await expect(editor.node('ask').getByText('failed')).toBeVisible();
    await editor.save();
    const stored = JSON.stringify(await readWorkflow(person, workflow.id));
    expect(stored).toContain('failOnErrorStatus');
  });
  api.close();
});
