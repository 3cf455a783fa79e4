import { cleanup, fireEvent, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PartMode } from '../document/part.ts';
import { useEditor, useView } from '../state/context.tsx';
import { showInEditor } from '../testing/show-in-editor.tsx';
import { useRunControls } from './run-controls.tsx';

const NODE = { id: 'a', type: 'set', position: { x: 0, y: 0 }, data: { label: 'left' } };
const UNUSABLE = ['running', 'pending', 'cancelled', 'cached'].map((status) => ({ id: status, status }));
const ENDED = { id: 'ended', status: 'success' };

let runs: { id: string; status: string }[] = [];
let refusal: string | undefined;
let isDown = false;
const replays: { path: string; body: unknown }[] = [];

async function answer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const path = String(input);
  if (path.includes('/history/all'))
    return isDown
      ? Response.json({ detail: 'The database is away' }, { status: 503 })
      : Response.json({ items: runs.filter(({ status }) => path.includes(`status=${status}`)) });
  if (!path.endsWith('/replay')) return Response.json({ detail: 'gone' }, { status: 404 });
  replays.push({ path, body: JSON.parse(String(init?.body)) });
  if (refusal === undefined) return Response.json({ execution_id: 'new' }, { status: 202 });
  const detail = [{ loc: ['body', 'node_id'], msg: refusal, type: 'not_reached' }];
  return Response.json({ detail, code: 'invalid_input', request_id: 'r' }, { status: 422 });
}

function Controls({ mode }: { mode: PartMode }) {
  const { start: startAll, startPart, problem } = useRunControls();
  const { view, store } = useEditor();
  const side = useView((state) => state.side);
  useEffect(() => view.getState().show('node'), [view]);
  return (
    <>
      <button type="button" onClick={() => void startPart('a', mode)}>
        Run part
      </button>
      <button type="button" onClick={() => void startAll({ input: {} })}>
        Run all
      </button>
      <button
        type="button"
        onClick={() => {
          store.getState().edit((document) => ({ ...document }));
          store.getState().markSaved(store.getState().document);
        }}
      >
        Save
      </button>
      <p role="alert">{problem}</p>
      <p role="status">{side}</p>
    </>
  );
}

async function start(mode: PartMode): Promise<void> {
  await showInEditor({ nodes: [NODE], edges: [] }, <Controls mode={mode} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Run part' }));
}
const isSaid = (text: RegExp) =>
  vi.waitFor(() => expect(screen.getByRole('alert').textContent).toMatch(text));

beforeEach(() => {
  runs = [...UNUSABLE, ENDED];
  refusal = undefined;
  isDown = false;
  replays.length = 0;
  vi.stubGlobal('fetch', answer);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('one node runs with the results of earlier runs, also before there is a run on the canvas', async () => {
  await start('only');
  await vi.waitFor(() => expect(replays).toHaveLength(1));
  expect(replays[0]?.path).toContain('/executions/ended/replay');
  expect(replays[0]?.body).toMatchObject({ node_id: 'a', only: true, earlier_runs: true, version: 'draft' });
});

test.each(['Run part', 'Run all'])(
  '%s says that nothing was run when the draft cannot be saved',
  async (name) => {
    await showInEditor({ nodes: [NODE], edges: [] }, <Controls mode="only" />, () => Promise.resolve(false));
    fireEvent.click(await screen.findByRole('button', { name }));
    await isSaid(/^Your changes could not be saved, so nothing was run\.$/);
    expect(screen.getByRole('status').textContent).toBe('run');
    expect(replays).toEqual([]);
  },
);

test.each(['Run part', 'Run all'])('%s says so no longer once the draft has been saved', async (name) => {
  await showInEditor({ nodes: [NODE], edges: [] }, <Controls mode="only" />, () => Promise.resolve(false));
  fireEvent.click(await screen.findByRole('button', { name }));
  await isSaid(/^Your changes could not be saved/);
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await isSaid(/^$/);
});

test('what the service says is missing is shown', async () => {
  refusal = '"left" was not reached in that run: run the workflow with an input that leads to it';
  await start('only');
  await isSaid(/^"left" was not reached.*leads to it$/);
});

test('an error while looking for an earlier run is shown beside the input of the run', async () => {
  isDown = true;
  await start('only');
  await isSaid(/^The database is away$/);
  expect(screen.getByRole('status').textContent).toBe('run');
  expect(replays).toEqual([]);
});

test('runs that were stopped, wait or never began have no results for a node', async () => {
  runs = UNUSABLE;
  await start('only');
  await isSaid(/Run the workflow once, or pin data/);
  expect(replays).toEqual([]);
});

test('without any run the editor says what to do', async () => {
  runs = [];
  await start('only');
  await isSaid(/Run the workflow once, or pin data/);
  expect(replays).toEqual([]);
});

test('all from a node on continues the run on the canvas alone', async () => {
  await start('from');
  await isSaid(/Run the workflow once, or pin data/);
  expect(replays).toEqual([]);
});
