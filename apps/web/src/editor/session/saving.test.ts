import type { Workflow } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../data/api.ts';
import { createDocumentStore, type DocumentStore } from '../../features/document/store.ts';
import { createSaving, type Saving } from './saving.ts';

const graph = (left: string, right = 'r'): WorkflowDocument => ({
  nodes: [
    { id: 'a', type: 'set', position: { x: 0, y: 0 }, data: { label: 'left', value: left } },
    { id: 'b', type: 'set', position: { x: 300, y: 0 }, data: { label: 'right', value: right } },
  ],
  edges: [],
});
const stored = (document: WorkflowDocument, minute: number, name = 'One') =>
  ({ name, updated_at: `2026-01-01T00:${minute}:00.000Z`, ...document }) as Partial<Workflow> as Workflow;
const listValues = (document: Pick<WorkflowDocument, 'nodes'>) =>
  document.nodes.map(({ data }) => data['value']);

/** The workflow that the server has; a save that builds on an older state is refused. */
let server: Workflow;
let savedByMe: boolean;
let store: DocumentStore;
let saving: () => Saving;
let close: () => void;
let bases: string[];
/** The server answers when it has ended. */
let hold: Promise<void> | undefined;
/** Called before the server answers. */
let onSend: () => void;
const onMerged = vi.fn();
const onAnswer = vi.fn();
/** Renders the editor. */
const onTold = vi.fn();

async function send(document: WorkflowDocument, base: string): Promise<Workflow> {
  bases.push(base);
  onSend();
  await hold;
  if (base === server.updated_at) {
    server = stored(document, 30 + bases.length, server.name);
    return server;
  }
  const detail = { message: 'no', graph_saved_by_you: savedByMe, current: server };
  throw new ApiError(409, 'no', { body: { detail } as never });
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  [savedByMe, bases, onSend, hold] = [false, [], () => undefined, undefined];
  server = stored(graph('l'), 10);
  store = createDocumentStore(graph('l'));
  const savingStore = createSaving({ store, base_updated_at: server.updated_at, send, onAnswer });
  savingStore.subscribe(onTold);
  saving = savingStore.getState;
  close = saving().open(onMerged);
});
afterEach(() => {
  close();
  vi.useRealTimers();
});

const write = (document: WorkflowDocument) => store.getState().edit(() => document);

test('an edit of what is unsaved already renders nothing', () => {
  write(graph('m'));
  expect(onTold).toHaveBeenCalledOnce();
  write(graph('mi'));
  write(graph('min'));
  expect(onTold).toHaveBeenCalledOnce();
});

test('saves after a moment without changes, one save after the other', async () => {
  write(graph('mine'));
  expect(saving().state).toBe('unsaved');
  onSend = () => {
    onSend = () => undefined;
    write(graph('more'));
    void saving().save();
    expect(saving().state).toBe('unsaved');
  };
  await vi.advanceTimersByTimeAsync(1_000);
  expect(bases).toEqual([stored(graph('l'), 10).updated_at, stored(graph('l'), 31).updated_at]);
  expect(saving().state).toBe('saved');
  expect(listValues(server as never)).toEqual(['more', 'r']);
  expect(onAnswer).toHaveBeenCalledTimes(2);
});

test('saves nothing without a change, and nothing by itself once it is closed', async () => {
  expect(await saving().save()).toBe(true);
  saving().saveNow();
  close();
  write(graph('mine'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(bases).toEqual([]);
});

test('a failure is told, leaves the work unsaved and is tried again', async () => {
  onSend = () => {
    throw new ApiError(503, 'The database is away');
  };
  write(graph('mine'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(saving()).toMatchObject({ state: 'failed', problem: 'The database is away', conflict: undefined });
  onSend = () => undefined;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(saving()).toMatchObject({ state: 'saved', problem: undefined });
});

test.each([false, true])('another place that was saved meanwhile is merged (by oneself: %s)', async (own) => {
  savedByMe = own;
  server = stored(graph('l', 'theirs'), 11);
  write(graph('mine'));
  expect(await saving().save()).toBe(true);
  expect(listValues(store.getState().document)).toEqual(['mine', 'theirs']);
  expect(listValues(server as never)).toEqual(['mine', 'theirs']);
  expect(onMerged.mock.calls).toEqual([[own]]);
});

test('it is left to the person when others save again and again in between', async () => {
  let minute = 11;
  onSend = () => {
    server = stored(graph('l', `theirs ${minute}`), minute);
    minute += 1;
  };
  write(graph('mine'));
  expect(await saving().save()).toBe(false);
  expect(bases).toHaveLength(4);
  expect(saving().conflict).toMatchObject({ conflicts: [] });
});

test('settings that were saved apart are built on', () => {
  expect(saving().follow(stored(graph('l'), 12, 'Renamed'))).toBe(false);
  expect(saving().base()).toBe(stored(graph('l'), 12).updated_at);
});

test('a graph that was saved elsewhere is shown on a canvas without unsaved changes', async () => {
  expect(saving().follow(stored(graph('theirs'), 12))).toBe(true);
  expect(listValues(store.getState().document)).toEqual(['theirs', 'r']);
  expect(saving()).toMatchObject({ state: 'saved' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(bases).toEqual([]);
  expect(saving().base()).toBe(stored(graph('theirs'), 12).updated_at);
});

test('undoing an own change leaves what others saved since, and does not take it back on the server', async () => {
  write(graph('l', 'mine'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(saving().follow(stored(graph('theirs', 'mine'), 40))).toBe(true);
  server = stored(graph('theirs', 'mine'), 40);
  store.getState().undo();
  expect(listValues(store.getState().document)).toEqual(['theirs', 'r']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(listValues(server as never)).toEqual(['theirs', 'r']);
  store.getState().redo();
  expect(listValues(store.getState().document)).toEqual(['theirs', 'mine']);
});

test('undoing an own change that was merged leaves what others saved', async () => {
  server = stored(graph('l', 'theirs'), 11);
  write(graph('mine'));
  expect(await saving().save()).toBe(true);
  store.getState().undo();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(listValues(store.getState().document)).toEqual(['l', 'theirs']);
  expect(listValues(server as never)).toEqual(['l', 'theirs']);
});

test('what others saved is no step to undo, nor is an own one at a place that they changed since', async () => {
  write(graph('mine'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(saving().follow(stored(graph('theirs'), 40))).toBe(true);
  store.getState().undo();
  expect(listValues(store.getState().document)).toEqual(['theirs', 'r']);
});

test('a state that arrives while a save is on its way does not go on the canvas', async () => {
  write(graph('mine'));
  const before = store.getState().saved;
  let answer: () => void = () => undefined;
  hold = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const save = saving().save();
  await vi.advanceTimersByTimeAsync(0);
  expect(saving().state).toBe('saving');
  store.setState({ document: before });
  expect(saving().follow(stored(graph('theirs'), 12))).toBe(false);
  answer();
  await save;
  expect(listValues(store.getState().saved)).toEqual(['mine', 'r']);
});

test('after a conflict that was closed and undone, a state that is followed ends it, and edits are saved again', async () => {
  server = stored(graph('theirs'), 11);
  write(graph('mine'));
  expect(await saving().save()).toBe(false);
  saving().dismiss();
  store.getState().undo();
  expect(saving().follow(server)).toBe(true);
  expect(saving()).toMatchObject({ state: 'saved', problem: undefined, conflict: undefined });
  write(graph('theirs', 'later'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(listValues(server as never)).toEqual(['theirs', 'later']);
});

test('an older answer does not set back the state that the canvas builds on', () => {
  expect(saving().follow(stored(graph('l'), 12))).toBe(false);
  expect(saving().follow(stored(graph('l'), 11))).toBe(false);
  expect(saving().base()).toBe(stored(graph('l'), 12).updated_at);
});

test('an older graph, or one beside unsaved changes, does not go on the canvas', () => {
  expect(saving().follow(stored(graph('old'), 9))).toBe(false);
  expect(listValues(store.getState().document)).toEqual(['l', 'r']);
  write(graph('mine'));
  expect(saving().follow(stored(graph('theirs'), 13))).toBe(false);
  expect(listValues(store.getState().document)).toEqual(['mine', 'r']);
  expect(saving().base()).toBe(stored(graph('l'), 10).updated_at);
});

test('the same place is left to the person, and saved over after a side was chosen', async () => {
  server = stored(graph('theirs'), 11);
  write(graph('mine'));
  expect(await saving().save()).toBe(false);
  expect(saving()).toMatchObject({ state: 'unsaved', conflict: { is_own: false } });
  expect(saving().conflict?.conflicts).toMatchObject([{ node_id: 'a', field: 'value' }]);
  write(graph('mine', 'more'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(bases).toHaveLength(1);

  expect(await saving().resolve(graph('mine'))).toBe(true);
  expect(saving()).toMatchObject({ state: 'saved', conflict: undefined });
  expect(listValues(server as never)).toEqual(['mine', 'r']);
  expect(await saving().resolve(graph('again'))).toBe(false);
});

test('an answer that replaces the canvas is saved, and can be undone', () => {
  write(graph('mine'));
  saving().replace(stored(graph('theirs'), 13));
  expect(saving().state).toBe('saved');
  expect(saving().base()).toBe(stored(graph('l'), 13).updated_at);
  store.getState().undo();
  expect(listValues(store.getState().document)).toEqual(['mine', 'r']);
  expect(saving().state).toBe('unsaved');
});
