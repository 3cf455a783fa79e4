import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import type { FolderNode, Folders } from '../../../data/folders.ts';
import { showInEditor } from '../../../editor/testing/show-in-editor.tsx';
import { FolderTree } from './folder-tree.tsx';

const NONE = new Set<string>();

afterEach(cleanup);

const folder = (id: string, parent_id: string | null, children: string[] = []): FolderNode => ({
  id,
  name: id,
  description: null,
  parent_id,
  children,
});
const buildTree = (...folders: FolderNode[]): Folders => new Map(folders.map((each) => [each.id, each]));

/** Shows two folders beside each other, with a menu of one entry. */
async function showTwo() {
  const unused = vi.fn();
  await showInEditor(
    { nodes: [], edges: [] },
    <FolderTree
      selected={NONE}
      onSelect={() => undefined}
      folders={buildTree(folder('team', null), folder('old', null))}
      current={undefined}
      getCount={() => 0}
      getMenu={({ id }) => [{ label: `Rename ${id}`, onSelect: unused }]}
      onOpen={unused}
      onMoveFolder={unused}
      onMoveWorkflow={unused}
    />,
  );
  return unused;
}

test('a new folder within a closed one is shown, while folders that were there stay closed', async () => {
  let change: (folders: Folders) => void = () => undefined;
  function Shown() {
    const [folders, setFolders] = useState(
      buildTree(folder('team', null), folder('old', null, ['kept']), folder('kept', 'old')),
    );
    change = setFolders;
    const unused = vi.fn();
    return (
      <FolderTree
        selected={NONE}
        onSelect={() => undefined}
        folders={folders}
        current={undefined}
        getCount={() => 0}
        getMenu={() => []}
        onOpen={unused}
        onMoveFolder={unused}
        onMoveWorkflow={unused}
      />
    );
  }
  await showInEditor({ nodes: [], edges: [] }, <Shown />);
  await screen.findByRole('treeitem', { name: 'team' });
  act(() =>
    change(
      buildTree(
        folder('team', null, ['inner']),
        folder('inner', 'team'),
        folder('old', null, ['kept']),
        folder('kept', 'old'),
      ),
    ),
  );
  expect(await screen.findByRole('treeitem', { name: 'inner' })).toBeTruthy();
  expect(screen.queryByRole('treeitem', { name: 'kept' })).toBeNull();
});

test('a right click on a folder opens its menu', async () => {
  const unused = await showTwo();
  fireEvent.contextMenu(await screen.findByRole('treeitem', { name: 'old' }));
  const entries = await screen.findAllByRole('menuitem');
  expect(entries.map(({ textContent }) => textContent)).toEqual(['Rename old']);
  expect(unused).not.toHaveBeenCalled();
});

test('the folder whose menu closes has the focus', async () => {
  await showTwo();
  const row = await screen.findByRole('treeitem', { name: 'team' });
  // A long press, other than a right click, does not focus the row first.
  fireEvent.contextMenu(row);
  const menu = await screen.findByRole('menu');
  await vi.waitFor(() => expect(menu.contains(document.activeElement)).toBe(true));
  fireEvent.keyDown(menu, { key: 'Escape' });
  await vi.waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
  await vi.waitFor(() => expect(document.activeElement).toBe(row));
});
