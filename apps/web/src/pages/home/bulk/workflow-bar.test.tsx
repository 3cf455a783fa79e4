import type { WorkflowSummary } from '@millrace/contracts';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Folders } from '../../../data/folders.ts';
import { showAtPath } from '../../../features/testing/show-at-path.tsx';
import { DataTable } from '../../../ui/layout/data-table.tsx';
import { selectColumn } from '../../../ui/layout/select-column.tsx';
import { useSelection } from '../../../ui/layout/use-selection.ts';
import type { Toast } from '../../../ui/overlays/toast.ts';
import { listenToToasts } from '../../../ui/testing/listen-to-toasts.ts';
import { WorkflowBar } from './workflow-bar.tsx';

const FOLDERS: Folders = new Map([
  ['sales', { id: 'sales', name: 'Sales', description: null, parent_id: null, children: [] }],
]);
const workflow = (name: string, part: Partial<WorkflowSummary> = {}) =>
  ({
    id: name,
    name,
    description: null,
    folder_id: null,
    first_node_type: null,
    active: true,
    published: true,
    unpublished_changes: false,
    scheduled_for_deletion: null,
    access: 'owner',
    auth_type: 'jwt',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...part,
  }) as WorkflowSummary;

let calls: string[] = [];
let said: Toast[] = [];
let stop: () => void = () => undefined;

/** Everything is allowed, except what changes a workflow of another person. */
async function answer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const path = String(input);
  if (init?.method === undefined || init.method === 'GET') return Response.json([]);
  calls.push(`${init.method} ${path}`);
  if (!path.includes('theirs')) return Response.json({});
  return Response.json({ detail: 'Only the owner of the workflow may do this' }, { status: 403 });
}

beforeEach(() => {
  calls = [];
  said = [];
  stop = listenToToasts((toast) => said.push(toast));
  vi.stubGlobal('fetch', answer);
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
  }));
});
afterEach(() => {
  stop();
  cleanup();
  vi.unstubAllGlobals();
});

/** The bar beside a table that its rows are ticked in. */
function Listed({ workflows }: { workflows: readonly WorkflowSummary[] }) {
  const { selected, onSelect } = useSelection();
  const column = selectColumn<WorkflowSummary>({
    selected,
    onSelect,
    header: 'Everything',
    getId: ({ id }) => id,
    getLabel: ({ name }) => `Select ${name}`,
  });
  return (
    <>
      <DataTable label="Workflows" columns={[column]} rows={workflows} rowKey={({ id }) => id} />
      <WorkflowBar workflows={workflows} folders={FOLDERS} selected={selected} onSelect={onSelect} />
    </>
  );
}

const show = (...workflows: WorkflowSummary[]) => showAtPath({ path: '/' }, <Listed workflows={workflows} />);
const press = (element: HTMLElement, shiftKey = false) =>
  act(async () => fireEvent.click(element, { shiftKey }));
const tick = async (name: string, shiftKey = false) =>
  press(await screen.findByRole('checkbox', { name: `Select ${name}` }), shiftKey);
const isSaid = (text: string) => vi.waitFor(() => expect(said.map((toast) => toast.text)).toEqual([text]));

test('ticked workflows are moved at once, and the move can be taken back', async () => {
  await show(workflow('a'), workflow('b', { folder_id: 'sales' }), workflow('c'), workflow('d'));
  await tick('a');
  await tick('c', true);
  await press(screen.getByRole('button', { name: 'Move to…' }));
  await press(await screen.findByRole('option', { name: 'Sales' }));
  await isSaid('2 workflows moved to Sales');
  expect(calls).toEqual(['PUT /folders/sales/workflows/a', 'PUT /folders/sales/workflows/c']);
  expect(screen.queryByRole('toolbar')).toBeNull();
  await act(async () => said[0]?.undo?.run());
  await vi.waitFor(() => expect(calls).toHaveLength(4));
  expect(calls[2]).toBe('DELETE /folders/workflows/a/folder');
});

test('the message after a deletion names those of other people, which were refused', async () => {
  await show(workflow('mine'), workflow('theirs', { access: 'collaborator' }));
  await tick('mine');
  await press(screen.getByRole('checkbox', { name: 'Select all shown' }));
  expect(screen.getByRole('toolbar', { name: '2 selected' })).toBeTruthy();
  await press(screen.getByRole('button', { name: 'Delete' }));
  await isSaid('1 workflow is scheduled for deletion. 1 of 2 could not be changed');
  expect(said[0]).toMatchObject({ kind: 'failed', detail: 'theirs: only the owner may do this.' });
});

test('only drafts are offered for publishing, and Escape clears the selection', async () => {
  await show(workflow('live'), workflow('draft', { published: false }));
  await tick('live');
  expect(screen.queryByRole('button', { name: /^Publish/ })).toBeNull();
  await tick('draft');
  await press(screen.getByRole('button', { name: 'Publish (1)' }));
  await isSaid('1 workflow published');
  expect(calls).toEqual(['POST /api/workflows/draft/publish']);
  await tick('live');
  await act(async () => fireEvent.keyDown(document.body, { key: 'Escape' }));
  expect(screen.queryByRole('toolbar')).toBeNull();
});
