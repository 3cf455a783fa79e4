// Leads through: chat, features/run-view, features/ran-node, editor/run
import { chatStream } from '../../packages/models/src/testing/fake-provider.ts';
import { answers, ask, isIdle } from './support/chat.ts';
import { locateEditor } from './support/editor.ts';
import { expect, test } from './support/journey.ts';
import { addModel, startModels } from './support/models.ts';
import { chain, node, openPortal, start } from './support/portal.ts';

/** An answer whose second half comes when it is let go. */
function inHalves(first: string, second: string) {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const [role = '', half = '', ...rest] = chatStream([first, second]);
  return { reply: { chunks: [role, half, held, ...rest] }, release };
}

test('an answer grows on the page of the chat and on the canvas while a model writes it', async ({
  person,
  visitor,
}) => {
  const models = await startModels();
  await addModel(person, models);
  const made = await person.context.request.get('/api/credentials');
  const credentials = (await made.json()) as { items?: { id: string }[] } & { id: string }[];
  const credentialId = (credentials.items ?? credentials)[0]?.id;
  const { id, path } = await openPortal(
    person,
    chain(
      start('text'),
      node('reply', 'llm', { credentialId, model: 'small-1', userMessage: '$start.body.text' }),
      node('out', 'output', { message: '$input.text' }),
    ),
    { portal_stream_enabled: true },
  );

  const page = await visitor();
  await page.goto(path);
  const inChat = inHalves('The parcel is **on its', ' way**.');
  models.answer(inChat.reply);
  await ask(page, 'Where is it?');
  await expect(answers(page).first()).toContainText('on its');
  await expect(answers(page).first()).toHaveAttribute('aria-busy', 'true');
  inChat.release();
  await expect(answers(page).first()).toContainText('The parcel is on its way.');
  await isIdle(page);

  const editor = locateEditor(person.page);
  await person.page.goto(`/workflows/${id}`);
  const onCanvas = inHalves('Once upon', ' a time');
  models.answer(onCanvas.reply);
  await person.page.getByRole('tab', { name: 'Run' }).click();
  await editor.runPanel.getByRole('textbox', { name: 'text' }).fill('A tale');
  await editor.runPanel.getByRole('button', { name: 'Run' }).click();
  const effects = person.page.getByRole('dialog', { name: 'Test run with real effects?' });
  await effects.getByRole('button', { name: 'Run' }).click();
  await expect(editor.runPanel.getByText('Once upon', { exact: true })).toBeVisible();
  onCanvas.release();
  await expect(editor.runPanel.getByRole('region', { name: 'Outputs' })).toContainText('Once upon a time');
  models.stop();
});
