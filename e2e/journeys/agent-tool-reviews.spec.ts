// Leads through: pages/review, features/run-view, editor/fields
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { locateEditor } from './support/editor.ts';
import { createWorkflow, expect, type Person, test } from './support/journey.ts';
import { addModel, says, startModels, uses } from './support/models.ts';
import { expectReadable } from './support/readable.ts';
import { call } from './support/seed.ts';

/** A service that takes mails. */
async function startMails() {
  const taken: unknown[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece) => (text += String(piece)));
    request.on('end', () => {
      taken.push(JSON.parse(text));
      response.setHeader('content-type', 'application/json').end('{"sent":true}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { taken, url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

/** An agent with a tool that sends mails. */
async function createDesk(person: Person, url: string): Promise<string> {
  const credentials = await call<{ id: string }[]>(person, 'GET', '/api/credentials');
  const curl = `curl -X POST ${url} -H 'Content-Type: application/json' -d '{"to":"$agentArguments.to","text":"$agentArguments.text"}'`;
  const at = (x: number, y: number) => ({ x, y });
  const { id } = await createWorkflow(person, {
    name: 'Support desk',
    nodes: [
      {
        id: 'start',
        type: 'textInput',
        position: at(0, 0),
        data: { label: 'start', inputFields: [{ key: 'text' }] },
      },
      {
        id: 'desk',
        type: 'agent',
        position: at(300, 0),
        data: {
          label: 'desk',
          credentialId: credentials[0]?.id,
          model: 'small-1',
          userMessage: '$start.body.text',
        },
      },
      {
        id: 'mail',
        type: 'http',
        position: at(300, 250),
        data: {
          label: 'sendMail',
          toolDescription: 'Sends a mail',
          curl,
          agentProvidedFields: ['to', 'text'],
        },
      },
      { id: 'out', type: 'output', position: at(640, 0), data: { label: 'out', message: '$desk.text' } },
    ],
    edges: [
      { id: 'a', source: 'start', target: 'desk' },
      { id: 'b', source: 'desk', target: 'out', sourceHandle: 'output' },
      { id: 'c', source: 'mail', target: 'desk', targetHandle: 'tool-input' },
    ],
  });
  return id;
}

const MAIL = { to: 'ada@example.com', text: 'It left today.' };

test('§6.3 a person edits the arguments of a tool before an agent uses it, and the editor follows', async ({
  person,
}) => {
  const { page } = person;
  const press = (key: string) => page.keyboard.press(key);
  const models = await startModels();
  const mails = await startMails();
  await addModel(person, models);
  const editor = locateEditor(page);
  const { panel, runPanel } = editor;
  await editor.open(await createDesk(person, mails.url));
  await editor.choose('desk');

  await test.step('the agent may read the web and search it with a credential made on the spot', async () => {
    await panel.getByRole('switch', { name: 'Read web pages' }).press('Space');
    await expect(panel.getByRole('textbox', { name: 'Only these hosts' })).toBeVisible();
    await panel.getByRole('combobox', { name: 'Web search' }).press('Enter');
    await page.getByRole('option', { name: 'New credential' }).press('Enter');
    const picker = page.getByRole('dialog', { name: 'New credential' });
    for (const service of ['Brave Search', 'Tavily', 'SearXNG'])
      await expect(picker.getByRole('button', { name: service })).toBeVisible();
    await picker.getByRole('button', { name: 'SearXNG' }).press('Enter');
    const form = page.getByRole('dialog', { name: 'SearXNG' });
    await expect(form.getByLabel('Name')).toBeFocused();
    await page.keyboard.type('Our search');
    await press('Tab');
    await page.keyboard.type(mails.url);
    await press('Enter');
    await expect(form).toBeHidden();
    await expect(panel.getByRole('combobox', { name: 'Web search' })).toHaveText('Our search');
  });

  await test.step('a tool is chosen for review among those that the agent has', async () => {
    await panel.getByRole('switch', { name: 'Ask a person' }).press('Space');
    const rules = panel.getByRole('group', { name: 'Review before use' });
    await rules.getByRole('button', { name: 'Add row' }).press('Enter');
    await expect(rules.getByRole('combobox', { name: 'Tool 1' })).toBeFocused();
    await press('Enter');
    await expect(page.getByRole('option')).toHaveText([
      'Every tool',
      'sendMail',
      'Reading web pages',
      'Searching the web',
    ]);
    await expect(page.getByRole('option', { name: 'Every tool' })).toBeFocused();
    await press('ArrowDown');
    await expect(page.getByRole('option', { name: 'sendMail' })).toBeFocused();
    await press('Enter');
    await expect(rules.getByRole('combobox', { name: 'Tool 1' })).toHaveText('sendMail');
    await panel.getByRole('switch', { name: 'Review after content from outside' }).press('Space');
    await editor.save();
    await expectReadable(page);
  });

  const start = async () => {
    models.answer(uses('sendMail', MAIL), says('The mail is sent.'));
    await runPanel.getByRole('textbox', { name: 'text' }).fill('Where is it?');
    await runPanel.getByRole('button', { name: 'Run', exact: true }).press('Enter');
    await page
      .getByRole('dialog', { name: 'Test run with real effects?' })
      .getByRole('button', { name: 'Run' })
      .press('Enter');
  };

  await test.step('the run waits, and says for what', async () => {
    await page.getByRole('tab', { name: 'Run' }).click();
    await start();
    await expect(runPanel.getByText('Waits for a review')).toBeVisible();
    await expect(runPanel.getByText('The agent wants to use "sendMail"', { exact: true })).toBeVisible();
    expect(mails.taken).toEqual([]);
    await expectReadable(page);
  });

  await test.step('the arguments are edited as JSON, and what is none is not sent', async () => {
    await runPanel.getByRole('link', { name: 'Decide' }).press('Enter');
    await expect(page.getByRole('heading', { name: 'The agent wants to use "sendMail"' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Edit' })).toBeVisible();
    await press('e');
    const values = page.getByRole('textbox', { name: 'Your values (JSON)' });
    await expect(values).toBeFocused();
    expect(JSON.parse(await values.inputValue())).toEqual(MAIL);
    await values.fill('{"to": "ada@example.com", "text": }');
    await expect(page.getByText('This is not valid JSON')).toBeVisible();
    await press('ControlOrMeta+Enter');
    await expect(page.getByRole('button', { name: 'Continue with my values' })).toBeDisabled();
    await expectReadable(page);
    // The width of a phone has shown the review in a place of its own, where it is read first.
    await press('e');
    await values.fill(JSON.stringify({ ...MAIL, text: 'It leaves tomorrow.' }));
    await press('ControlOrMeta+Enter');
    await expect(page.getByRole('heading', { name: 'No reviews match' })).toBeVisible();
    await expect.poll(() => mails.taken).toEqual([{ ...MAIL, text: 'It leaves tomorrow.' }]);
  });

  await test.step('back in the editor the run is shown with its end', async () => {
    await page.goBack();
    await expect(runPanel.getByText('Success', { exact: true })).toBeVisible();
    await expect(runPanel.getByRole('region', { name: 'Outputs' })).toContainText('The mail is sent.');
    await expect(runPanel.getByText('Waits for a review')).toBeHidden();
  });

  await test.step('a decision made elsewhere is followed', async () => {
    await start();
    await expect(runPanel.getByText('Waits for a review')).toBeVisible();
    const { items } = await call<{ items: { id: string }[] }>(person, 'GET', '/api/reviews');
    await call(person, 'POST', `/api/reviews/${items[0]?.id}/decision`, { action: 'accept' });
    await expect(runPanel.getByText('Success', { exact: true })).toBeVisible();
    expect(mails.taken.at(-1)).toEqual(MAIL);
  });
  models.stop();
  mails.stop();
});
