// Leads through: chat
import { violations } from './support/axe.ts';
import { answers, ask, messageBox } from './support/chat.ts';
import { expect, test } from './support/journey.ts';
import { overflow } from './support/overflow.ts';
import { PIXEL } from './support/pixel.ts';
import { chain, node, openPortal, start } from './support/portal.ts';

test('the chat of an owner with words, colour, suggestions and files', async ({ person, visitor }) => {
  const flow = chain(
    start(
      'text',
      { key: 'photo', defaultValue: null, type: 'file', label: 'Photo' },
      { key: 'receipt', defaultValue: null, type: 'file', label: 'Receipt' },
    ),
    // Time to see what is said of it, on a busy machine.
    node('lookUp', 'wait', { duration: 4_000 }),
    node('out', 'output', { message: '$start.body.text: $start.body.photo' }),
  );
  const { path } = await openPortal(person, flow, {
    portal_file_upload_enabled: true,
    portal_appearance: {
      welcome_text: 'Ask **anything** about your order.',
      suggestions: ['Where is my order?'],
      accent_color: '#7a1fa2',
      progress: 'messages',
      progress_messages: { lookUp: 'Looking for your order' },
    },
  });
  const page = await visitor();
  await page.goto(path);
  await expect(page.getByText('Ask anything about your order.')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Where is my order?' }).click();
  await expect(page.getByText('Looking for your order')).toBeVisible();
  await expect(messageBox(page)).toBeFocused();
  await expect(answers(page).first()).toContainText('Where is my order?:');

  // A picture is pasted, and taken away again.
  await messageBox(page).focus();
  const give = (how: 'paste' | 'drop', type: string, names: string[] = ['photo.png']) =>
    page.evaluate(
      ([bytes, how, type, names]) => {
        const data = new DataTransfer();
        for (const name of names) data.items.add(new File([Uint8Array.from(bytes)], name, { type }));
        const target = document.querySelector('.composer textarea');
        const init = { bubbles: true, cancelable: true };
        const event =
          how === 'paste'
            ? new ClipboardEvent('paste', { ...init, clipboardData: data })
            : new DragEvent('drop', { ...init, dataTransfer: data });
        target?.dispatchEvent(event);
      },
      [[...PIXEL], how, type, names] as const,
    );
  await give('paste', 'image/png');
  await expect(page.getByText('photo.png')).toBeVisible();
  await page.getByRole('button', { name: 'Remove photo.png' }).click();
  await expect(page.getByText('photo.png')).toBeHidden();
  await give('drop', 'application/zip');
  await expect(page.getByText('photo.png is of a type that is not taken here.')).toBeVisible();
  await give('drop', 'image/png', ['photo.png', 'receipt.png']);
  await expect(page.getByText('photo.png', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Remove receipt.png' }).click();
  await expect(messageBox(page)).toBeFocused();
  await ask(page, 'hello');
  await expect(answers(page).nth(1)).toContainText('hello: data:image/png;base64,');
  const picture = page.getByRole('button', { name: 'Enlarge: Photo' });
  await picture.click();
  await expect(page.getByRole('dialog', { name: 'Photo' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.reload();
  await expect(picture).toBeVisible();

  // A click would send the text without the file that is needed.
  const needing = chain(
    start('text', { key: 'photo', defaultValue: null, type: 'file', label: 'Photo', required: true }),
    node('out', 'output', { message: '$start.body.text' }),
  );
  const portal_appearance = { welcome_text: 'Send a photo.', suggestions: ['Where is my order?'] };
  const other = await openPortal(person, needing, { portal_file_upload_enabled: true, portal_appearance });
  await page.goto(other.path);
  await expect(page.getByText('Send a photo.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Where is my order?' })).toHaveCount(0);
});

test.describe('on a phone', () => {
  test.use({ contextOptions: { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true } });

  test('fields have the controls of their types', async ({ person, visitor }) => {
    const flow = chain(
      start(
        { key: 'what', defaultValue: null, type: 'text', label: 'What happened?', required: true },
        { key: 'day', defaultValue: null, type: 'date', label: 'When?' },
        { key: 'size', defaultValue: null, type: 'choice', options: ['small', 'large'], label: 'How much?' },
        { key: 'proof', defaultValue: null, type: 'file', label: 'Proof' },
      ),
      node('out', 'output', { message: '$start.body.size / $start.body.day / $start.body.proof' }),
    );
    const { path } = await openPortal(person, flow, { portal_file_upload_enabled: true });
    const page = await visitor();
    await page.goto(path);
    await page.getByRole('combobox', { name: 'How much?' }).selectOption('large');
    await page.getByLabel('When?').fill('2026-02-03');
    const opened = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a file' }).click();
    await (await opened).setFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('seen') });
    await expect(page.getByText('note.txt')).toBeVisible();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(page.getByText('Fill in this field.')).toBeVisible();
    await page.getByRole('textbox', { name: /What happened/ }).fill('A leak');
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(answers(page)).toContainText('large / 2026-02-03 / seen');
  });
});
