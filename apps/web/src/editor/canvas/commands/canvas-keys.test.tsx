import { act, cleanup, fireEvent, waitFor } from '@testing-library/react';
import { ReactFlowProvider } from '@xyflow/react';
import { useEffect } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useDocument } from '../../../features/document/context.ts';
import { allCommands, useCommandStore } from '../../../lib/commands.ts';
import { useShortcuts } from '../../../shell/use-shortcuts.ts';
import { EditorCommands } from '../../header/editor-commands.tsx';
import type { Saving } from '../../session/saving.ts';
import { useEditor } from '../../state/context.tsx';
import { showInEditor } from '../../testing/show-in-editor.tsx';
import { useCanvasKeys } from './use-canvas-keys.ts';

const openSearch = vi.fn();
const findCommand = (id: string) =>
  allCommands(useCommandStore.getState().sources).find((command) => command.id === id);
let editor: ReturnType<typeof useEditor>;

function Keys() {
  const shown = useEditor();
  useEffect(() => {
    editor = shown;
  });
  useShortcuts();
  useCanvasKeys(openSearch);
  return null;
}

/** The nodes as React Flow draws them: with the class, the id and the place in the order of Tab. */
function DrawnNodes() {
  const nodes = useDocument((state) => state.document.nodes);
  return (
    <div className="react-flow" tabIndex={-1}>
      {nodes.map(({ id }) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- as React Flow draws them
        <div key={id} className="react-flow__node" data-id={id} tabIndex={0} />
      ))}
    </div>
  );
}

const node = (id: string) => ({ id, type: 'set', position: { x: 0, y: 0 }, data: { label: id } });

/** A key as browsers report it: what it types and where it is on the keyboard. */
const press = (key: string, code: string, modifiers: KeyboardEventInit = {}) =>
  act(() => {
    fireEvent.keyDown(document.body, { key, code, ...modifiers });
  });

const labels = () => editor.store.getState().document.nodes.map(({ id }) => id);
const removeB = () =>
  act(() => {
    editor.store.getState().edit((document) => ({
      document: { ...document, nodes: document.nodes.filter(({ id }) => id !== 'b') },
    }));
  });

beforeEach(async () => {
  const part = (
    <ReactFlowProvider>
      <Keys />
      <DrawnNodes />
      <EditorCommands saving={{ save: () => Promise.resolve(true) } as unknown as Saving} />
    </ReactFlowProvider>
  );
  await showInEditor({ nodes: [node('a'), node('b')], edges: [] }, part);
  // The texts of the commands load first.
  await waitFor(() => {
    if (!findCommand('editor.fit')) throw new Error('The editor offers no commands yet');
  });
});

afterEach(() => {
  cleanup();
  openSearch.mockReset();
});

const CTRL = { ctrlKey: true };

/** Where layouts have the letters; Russian has none of them, and uses the keys of a US keyboard. */
const LAYOUTS = [
  { layout: 'US', undo: ['z', 'KeyZ'], redo: ['y', 'KeyY'], all: ['a', 'KeyA'], one: '!' },
  { layout: 'German', undo: ['z', 'KeyY'], redo: ['y', 'KeyZ'], all: ['a', 'KeyA'], one: '!' },
  { layout: 'French', undo: ['z', 'KeyW'], redo: ['y', 'KeyY'], all: ['a', 'KeyQ'], one: '1' },
  { layout: 'Russian', undo: ['я', 'KeyZ'], redo: ['н', 'KeyY'], all: ['ф', 'KeyA'], one: '!' },
] as const;

describe.each(LAYOUTS)('keys of a $layout keyboard', ({ undo, redo, all, one }) => {
  test('undo and redo', () => {
    removeB();
    press(undo[0], undo[1], CTRL);
    expect(labels()).toEqual(['a', 'b']);
    press(redo[0], redo[1], CTRL);
    expect(labels()).toEqual(['a']);
    press(undo[0], undo[1], CTRL);
    press(undo[0].toUpperCase(), undo[1], { ...CTRL, shiftKey: true });
    expect(labels()).toEqual(['a']);
  });

  test('select all', () => {
    press(all[0], all[1], CTRL);
    expect(editor.store.getState().selection.nodes).toEqual(new Set(['a', 'b']));
  });

  test('zoom to fit', () => {
    const fit = findCommand('editor.fit');
    const run = fit && vi.spyOn(fit, 'run').mockReturnValue();
    press(one, 'Digit1', { shiftKey: true });
    expect(run).toHaveBeenCalledOnce();
  });
});

test.each(['Delete', 'Backspace'])('%s leaves the focus on the canvas, for the next key', async (key) => {
  const card = document.querySelector<HTMLElement>('[data-id="b"]');
  card?.focus();
  act(() => editor.store.getState().select({ nodes: ['b'] }));
  act(() => {
    if (card) fireEvent.keyDown(card, { key, code: key });
  });
  expect(labels()).toEqual(['a']);
  await waitFor(() => expect(document.activeElement?.getAttribute('data-id')).toBe('a'));
});

describe('pasting nodes of n8n', () => {
  const copied = { nodes: [{ name: 'a', type: 'n8n-nodes-base.set' }], connections: {} };
  const paste = () =>
    act(
      () => void fireEvent.paste(document.body, { clipboardData: { getData: () => JSON.stringify(copied) } }),
    );
  const converted = [node('a'), node('c')];
  const lines = [{ node_id: 'a', field: 'nodes.0.notes', message: 'changed' }];
  const report = { imported_at: '2026-01-02T03:04:05.000Z', lines };
  beforeEach(() => {
    // jsdom draws nothing.
    document.elementFromPoint = () => null;
  });
  afterEach(() => void vi.unstubAllGlobals());

  test('adds them as the service converts them, with a report that follows their new ids', async () => {
    const asked: unknown[] = [];
    const edges = [{ id: 'e', source: 'a', target: 'c' }];
    vi.stubGlobal('fetch', (_: string, { body }: RequestInit) => {
      asked.push(JSON.parse(String(body)));
      return Promise.resolve(Response.json({ nodes: converted, edges, report }));
    });
    paste();
    await waitFor(() => expect(labels()).toHaveLength(4));
    expect(asked).toEqual([{ document: copied }]);
    const [pasted, second] = labels().slice(2);
    expect(editor.store.getState().document.edges).toMatchObject([{ source: pasted, target: second }]);
    await waitFor(() =>
      expect(editor.view.getState().canvas_reports).toMatchObject([
        { report: { lines: [{ node_id: pasted }] }, ids: [pasted, second] },
      ]),
    );
  });

  test('reads one at a time, says so, and adds nothing to a workflow that was left', async () => {
    let answer: (response: Response) => void = () => undefined;
    const asked = vi.fn(() => new Promise<Response>((resolve) => (answer = resolve)));
    vi.stubGlobal('fetch', asked);
    paste();
    paste();
    await waitFor(() => expect(asked).toHaveBeenCalledOnce());
    expect(editor.view.getState().converting).toBe(true);
    const { store, view } = editor;
    cleanup();
    await act(async () => answer(Response.json({ nodes: converted, edges: [], report })));
    await waitFor(() => expect(view.getState().converting).toBe(false));
    expect(store.getState().document.nodes).toHaveLength(2);
    expect(view.getState().canvas_reports).toEqual([]);
  });

  test('leaves the canvas as it is when they are refused', async () => {
    const refuse = vi.fn(() => Promise.resolve(Response.json({ detail: 'No' }, { status: 422 })));
    vi.stubGlobal('fetch', refuse);
    paste();
    await waitFor(() => expect(refuse).toHaveBeenCalled());
    expect(labels()).toEqual(['a', 'b']);
  });
});

describe('letters on the canvas', () => {
  test.each(['w', 's', 'é', 'ж'])('%s is the first one of the search for a node type', (letter) => {
    press(letter, '');
    expect(openSearch.mock.calls).toEqual([[{ text: letter }]]);
  });

  test.each([
    ['o', 'KeyO'],
    ['d', 'KeyD'],
    ['p', 'KeyP'],
    // Types nothing Latin: the outline's key on a Russian keyboard.
    ['щ', 'KeyO'],
  ])('%s is a shortcut and does not open the search, with or without a selection', (letter, code) => {
    press(letter, code);
    act(() => editor.store.getState().select({ nodes: ['a'] }));
    press(letter, code);
    expect(openSearch).not.toHaveBeenCalled();
  });

  test('n opens an empty search', () => {
    press('n', 'KeyN');
    expect(openSearch.mock.calls).toEqual([[{}]]);
  });

  test('the rule is in the list of shortcuts', () => {
    expect(findCommand('editor.add_by_letter')?.title).toMatch(/shortcut/);
  });
});
