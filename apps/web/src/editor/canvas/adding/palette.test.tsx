import { cleanup, fireEvent, screen } from '@testing-library/react';
import { ReactFlowProvider } from '@xyflow/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { usePreferences } from '../../../session/preferences.ts';
import { showInEditor } from '../../testing/show-in-editor.tsx';
import { Palette } from './palette.tsx';

const open = () =>
  showInEditor(
    { nodes: [], edges: [] },
    <ReactFlowProvider>
      <Palette />
    </ReactFlowProvider>,
  );

const STORED = 'millrace.preferences';

/** As a new page does: nothing is left but what the browser kept. */
async function reload(kept = localStorage.getItem(STORED)): Promise<void> {
  cleanup();
  usePreferences.setState(usePreferences.getInitialState(), true);
  if (kept === null) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, kept);
  await usePreferences.persist.rehydrate();
}

beforeEach(() => reload(null));
afterEach(() => reload(null));

test('a hidden palette stays hidden in the next editor, after a reload too, until it is shown again', async () => {
  await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Hide node types' }));
  expect(screen.queryByRole('complementary')).toBeNull();
  cleanup();
  await open();
  expect(screen.queryByRole('complementary')).toBeNull();

  await reload();
  await open();
  expect(screen.queryByRole('complementary')).toBeNull();
  fireEvent.click(await screen.findByRole('button', { name: 'Show node types' }));
  expect(screen.getByRole('complementary')).toBeTruthy();
  await reload();
  await open();
  expect(screen.getByRole('complementary')).toBeTruthy();
});

test.each([
  ['is cut off', '{"state":{"paletteColl'],
  ['is of another shape', '"hidden"'],
  ['is empty', '{"state":null,"version":1}'],
  ['has no palette', '{"state":{"density":"comfortable"},"version":1}'],
])('where what was kept %s, the palette is shown and can be hidden', async (_what, kept) => {
  await reload(kept);
  await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Hide node types' }));
  await reload();
  expect(usePreferences.getState().paletteCollapsed).toBe(true);
});

/** Titles that the palette offers for words, in their order. */
async function offered(words: string): Promise<(string | null | undefined)[]> {
  cleanup();
  await open();
  fireEvent.change(await screen.findByRole('textbox', { name: 'Find a node type' }), {
    target: { value: words },
  });
  return screen
    .getAllByRole('listitem')
    .map((item) => item.querySelector('button span span')?.textContent ?? null);
}

test.each([
  ['if', 'Condition'],
  ['Edit Fields', 'Set'],
  ['respond to webhook', 'Output'],
  ['split in batches', 'Loop'],
  ['split out', 'Split'],
  ['stop and error', 'Throw Error'],
  ['openai', 'Language Model'],
  ['http', 'HTTP Request'],
  ['wait', 'Wait'],
])('the palette finds “%s” by the name that another product gives it, best first', async (words, title) => {
  const [first] = await offered(words);
  expect(first).toBe(title);
});

test('where no node type is made for a service, the palette offers to call its interface', async () => {
  expect(await offered('airtable')).toEqual(['HTTP Request']);
  expect(screen.getByText(/Any service with an HTTP interface/)).toBeTruthy();
});
