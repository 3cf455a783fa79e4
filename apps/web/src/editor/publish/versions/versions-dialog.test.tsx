import type { VersionDiff, Workflow, WorkflowVersionSummary } from '@millrace/contracts';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useDocument } from '../../../features/document/context.ts';
import type { Toast } from '../../../ui/overlays/toast.ts';
import { listenToToasts } from '../../../ui/testing/listen-to-toasts.ts';
import { useSaving } from '../../session/use-saving.ts';
import { useEditor } from '../../state/context.tsx';
import { showInEditor } from '../../testing/show-in-editor.tsx';
import { VersionsDialog } from './versions-dialog.tsx';

const createNode = (value: string) => ({
  id: 'a',
  type: 'set',
  position: { x: 0, y: 0 },
  data: { label: 'left', value },
});
const NODE = createNode('now');
const WORKFLOW = {
  id: '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a10',
  version_id: 'v2',
  version_number: 2,
  updated_at: '2026-01-01T00:00:00.000Z',
  nodes: [NODE],
  edges: [],
} as Partial<Workflow> as Workflow;
const VERSIONS = [2, 1].map((number) => ({
  id: `v${number}`,
  version_number: number,
  created_at: '2026-01-01T00:00:00.000Z',
})) as WorkflowVersionSummary[];
const CHANGED: VersionDiff['node_changes'] = [
  { node_id: 'a', change_type: 'modified', old_node: NODE, new_node: NODE, changes: [] },
];

let diff: Pick<VersionDiff, 'node_changes' | 'edge_changes' | 'config_changes'>;
const toasts: Toast[] = [];
const sent: { nodes: unknown }[] = [];
const discards: string[] = [];
/** The workflow as it was saved elsewhere meanwhile. */
let theirs: Workflow | undefined;
let disconnect: () => void;

async function answer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  if (init?.method === 'PUT') {
    sent.push(JSON.parse(String(init.body)));
    return Response.json({ ...WORKFLOW, nodes: sent.at(-1)?.nodes });
  }
  if (init?.method === 'DELETE') {
    discards.push(String(input));
    if (theirs) {
      const detail = { message: 'no', graph_saved_by_you: false, current: theirs };
      return Response.json({ detail, code: 'conflict', request_id: 'r' }, { status: 409 });
    }
    return Response.json({ ...WORKFLOW, nodes: [createNode('v2')] });
  }
  const [, id, rest] = /versions\/(v\d)(\/diff)?/.exec(String(input)) ?? [];
  if (id === undefined) return Response.json(String(input).includes('/versions') ? VERSIONS : []);
  const version_number = Number(id.slice(1));
  return Response.json(
    rest ? { ...diff, version_number } : { id, version_number, nodes: [createNode(id)], edges: [] },
  );
}

/** The dialog with the saving of the editor, which sends what is on the canvas. */
function Shown() {
  const { store } = useEditor();
  const saving = useSaving(store, {
    workflow: WORKFLOW,
    base_updated_at: WORKFLOW.updated_at,
    user_id: 'me',
  });
  const value = useDocument((state) => state.document.nodes[0]?.data['value']);
  return (
    <>
      <p>{`On the canvas: ${String(value)}`}</p>
      <VersionsDialog workflow={WORKFLOW} saving={saving} onClose={onClose} />
    </>
  );
}
const onClose = vi.fn();
const show = () => showInEditor({ nodes: [NODE], edges: [] }, <Shown />);
/** Saving waits for a moment without changes. */
const isSent = (value: string) =>
  expect
    .poll(() => sent)
    .toEqual([{ nodes: [createNode(value)], edges: [], base_updated_at: WORKFLOW.updated_at }]);
/** The first test loads the texts and the canvas of the changes. */
const PATIENTLY = { timeout: 10_000 };
const choose = async (name: RegExp) =>
  fireEvent.click(await screen.findByRole('button', { name }, PATIENTLY));

beforeEach(() => {
  diff = { node_changes: CHANGED, edge_changes: [], config_changes: [] };
  toasts.length = 0;
  sent.length = 0;
  discards.length = 0;
  theirs = undefined;
  onClose.mockClear();
  localStorage.clear();
  disconnect = listenToToasts((toast) => void toasts.push(toast));
  vi.stubGlobal('fetch', answer);
});
afterEach(() => {
  disconnect();
  cleanup();
  vi.unstubAllGlobals();
});

test('an older version comes back as a draft, and what is live stays live until it is published', async () => {
  await show();
  await choose(/^Version 1/);
  expect(await screen.findByText(/keep running version 2 until you publish/)).toBeTruthy();
  await choose(/^Restore version 1$/);
  await expect
    .poll(() => toasts[0]?.text)
    .toBe('Version 1 has been restored as a draft. Publish it to make it live.');
  expect(screen.getByText('On the canvas: v1')).toBeTruthy();
  expect(onClose).toHaveBeenCalledOnce();
  await isSent('v1');
});

test('going back to the live version discards changes, and needs no publishing', async () => {
  await show();
  expect(await screen.findByText(/Calls and triggers run it already/)).toBeTruthy();
  await choose(/^Discard changes since version 2$/);
  await expect.poll(() => toasts[0]?.text).toBe('Changes since version 2 discarded');
  expect(discards).toEqual([expect.stringMatching(/\/draft\?base_updated_at=2026-01-01T00%3A00%3A00.000Z$/)]);
  expect(screen.getByText('On the canvas: v2')).toBeTruthy();
  expect(onClose).toHaveBeenCalledOnce();
  expect(sent).toEqual([]);
});

test('changes that someone else made meanwhile are not discarded unseen', async () => {
  theirs = { ...WORKFLOW, nodes: [createNode('theirs')] };
  await show();
  await choose(/^Discard changes since version 2$/);
  const said = await screen.findByText(/^Someone else saved this workflow in the meantime/);
  expect(said.getAttribute('role')).toBe('alert');
  expect(screen.getByText('On the canvas: theirs')).toBeTruthy();
  expect(onClose).not.toHaveBeenCalled();
});

test('restoring can be undone, and what was there is sent again', async () => {
  await show();
  await choose(/^Version 1/);
  await choose(/^Restore version 1$/);
  await isSent('v1');
  act(() => toasts[0]?.undo?.run());
  expect(screen.getByText('On the canvas: now')).toBeTruthy();
  await expect.poll(() => sent.at(-1)?.nodes).toEqual([NODE]);
});

test('a version that is the same as the canvas cannot be restored', async () => {
  diff = { ...diff, node_changes: [] };
  await act(show);
  expect(await screen.findByText(/No parameter, connection or setting is different/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^(Restore|Discard)/ })).toBeNull();
});

test('settings that differ are said to stay', async () => {
  const change = { field: 'cache_ttl_seconds', old_value: 1, new_value: 2 };
  diff = { ...diff, node_changes: [], config_changes: [change] as VersionDiff['config_changes'] };
  await show();
  expect(await screen.findByText(/The name and the settings are not restored/)).toBeTruthy();
});
