import { cleanup, fireEvent, screen } from '@testing-library/react';
import { ReactFlowProvider } from '@xyflow/react';
import { afterEach, expect, test } from 'vitest';
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

afterEach(() => {
  cleanup();
  usePreferences.getState().change({ paletteCollapsed: false });
});

test('a hidden palette stays hidden in the next editor, after a reload too, until it is shown again', async () => {
  await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Hide node types' }));
  expect(screen.queryByRole('complementary')).toBeNull();
  cleanup();

  await usePreferences.persist.rehydrate();
  await open();
  expect(screen.queryByRole('complementary')).toBeNull();
  fireEvent.click(await screen.findByRole('button', { name: 'Show node types' }));
  expect(screen.getByRole('complementary')).toBeTruthy();
});
