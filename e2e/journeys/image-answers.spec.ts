// Leads through: features/run-view
import { imagesReply, PIXEL } from '../../packages/models/src/testing/fake-images.ts';
import { startFakeProvider } from '../../packages/models/src/testing/fake-provider.ts';
import { answers, ask } from './support/chat.ts';
import { locateEditor } from './support/editor.ts';
import { expect, test } from './support/journey.ts';
import { addModel } from './support/models.ts';
import { chain, node, openPortal, start } from './support/portal.ts';
import { expectReadable } from './support/readable.ts';
import { call } from './support/seed.ts';

const ADDRESS = `data:image/png;base64,${PIXEL}`;

test('an image that a model answers with is a file, and seen on the canvas, in the run and in the chat', async ({
  person,
  visitor,
}) => {
  const { page } = person;
  const models = await startFakeProvider((seen) => imagesReply(seen));
  await addModel(person, models);
  const [credential] = await call<{ id: string }[]>(person, 'GET', '/api/credentials');
  const { id, path } = await openPortal(
    person,
    chain(
      start('text'),
      node('draw', 'llm', {
        credentialId: credential?.id,
        model: 'gpt-image-1',
        outputType: 'image',
        userMessage: 'Draw $start.body.text',
      }),
    ),
  );
  const editor = locateEditor(page);

  await test.step('in the outputs of a run in the editor, to see and to save', async () => {
    await editor.open(id);
    await page.getByRole('tab', { name: 'Run' }).click();
    await editor.runPanel.getByRole('textbox', { name: 'text' }).fill('a cat');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page
      .getByRole('dialog', { name: 'Test run with real effects?' })
      .getByRole('button', { name: 'Run' })
      .press('Enter');
    await expect(editor.runPanel.getByText('Success', { exact: true })).toBeVisible();
    const files = editor.runPanel.getByRole('list', { name: 'Output files' });
    // Its name is the link beside it.
    await expect(files.getByRole('presentation')).toHaveAttribute('src', ADDRESS);
    const saved = page.waitForEvent('download');
    await files.getByRole('link', { name: /\.png$/ }).click();
    expect((await saved).suggestedFilename()).toMatch(/\.png$/);
    expect(models.seen.at(-1)?.body).toMatchObject({ prompt: 'Draw a cat' });
    await expectReadable(page);
  });

  await test.step('as what the node on the canvas has answered', async () => {
    await editor.node('draw').click();
    await editor.panel.getByRole('tab', { name: 'Output' }).click();
    await expect(editor.panel.getByRole('img', { name: 'Output of draw' })).toHaveAttribute('src', ADDRESS);
  });

  await test.step('on the page of the run', async () => {
    await page.goto('/runs');
    await page.getByRole('link', { name: 'Help desk' }).first().click();
    await page.getByRole('group', { name: /^draw, / }).click();
    await expect(page.getByRole('img', { name: 'Output of draw' })).toHaveAttribute('src', ADDRESS);
  });

  await test.step('as a file of the Drive with the bytes of the image', async () => {
    const saved = page.waitForEvent('download');
    await page.goto('/files');
    await page
      .getByRole('button', { name: /\.png$/ })
      .first()
      .click();
    const stream = await (await saved).createReadStream();
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString('base64')).toBe(PIXEL);
  });

  await test.step('as the answer in the chat of a visitor, also after it is read again', async () => {
    const guest = await visitor();
    await guest.goto(path);
    await ask(guest, 'a dog');
    const picture = answers(guest).getByRole('img');
    await expect(picture.first()).toHaveAttribute('src', ADDRESS);
    await answers(guest)
      .getByRole('button', { name: /^Enlarge/ })
      .click();
    await expect(guest.getByRole('dialog')).toBeVisible();
    await guest.keyboard.press('Escape');
    await guest.reload();
    await expect(picture.first()).toHaveAttribute('src', ADDRESS);
    await expect(guest.getByText('usage')).toHaveCount(0);
  });
  models.stop();
});
