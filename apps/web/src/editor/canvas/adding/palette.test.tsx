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
