import type { VersionDiff, Workflow, WorkflowVersionSummary } from '@millrace/contracts';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connectToastHost, type Toast } from '../../../ui/overlays/toast.ts';
import type { Saving } from '../../session/use-saving.ts';
import { showInEditor } from '../../testing/show-in-editor.tsx';
import { VersionsDialog } from './versions-dialog.tsx';

const NODE = { id: 'a', type: 'set', position: { x: 0, y: 0 }, data: { label: 'left' } };
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
let disconnect: () => void;

async function answer(input: RequestInfo | URL): Promise<Response> {
  const [, id, rest] = /versions\/(v\d)(\/diff)?/.exec(String(input)) ?? [];
  if (id === undefined) return Response.json(String(input).includes('/versions') ? VERSIONS : []);
  const version_number = Number(id.slice(1));
  return Response.json(rest ? { ...diff, version_number } : { id, version_number, nodes: [NODE], edges: [] });
}

const saving = { save: () => Promise.resolve(true) } as Partial<Saving> as Saving;
const show = () =>
  showInEditor(
    { nodes: [NODE], edges: [] },
    <VersionsDialog workflow={WORKFLOW} saving={saving} onClose={() => undefined} />,
  );
const choose = async (name: RegExp) => fireEvent.click(await screen.findByRole('button', { name }));

beforeEach(() => {
  diff = { node_changes: CHANGED, edge_changes: [], config_changes: [] };
  toasts.length = 0;
  disconnect = connectToastHost((toast) => void toasts.push(toast));
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
  await choose(/^Bring back version 1/);
  await expect
    .poll(() => toasts[0]?.text)
    .toBe('Version 1 is on the canvas as a draft. Publish it to make it live.');
});

test('going back to the live version undoes changes, and needs no publishing', async () => {
  await show();
  expect(await screen.findByText(/calls and triggers run it already/)).toBeTruthy();
  await choose(/^Undo changes since version 2/);
  await expect.poll(() => toasts[0]?.text).toMatch(/There is nothing to publish/);
});

test('a version that is the same as the canvas cannot be brought back', async () => {
  diff = { ...diff, node_changes: [] };
  await act(show);
  expect(await screen.findByText(/No parameter, connection or setting is different/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^(Bring back|Undo changes)/ })).toBeNull();
});

test('settings that differ are said to stay', async () => {
  const change = { field: 'cache_ttl_seconds', old_value: 1, new_value: 2 };
  diff = { ...diff, node_changes: [], config_changes: [change] as VersionDiff['config_changes'] };
  await show();
  expect(await screen.findByText(/The name and the settings are not brought back/)).toBeTruthy();
});
