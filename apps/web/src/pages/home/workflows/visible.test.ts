import type { WorkflowSummary } from '@millrace/contracts';
import { describe, expect, it } from 'vitest';
import type { FolderNode } from '../../../data/folders.ts';
import {
  countWorkflows,
  sortWorkflows,
  splitPinned,
  visibleWorkflows,
  type WorkflowSort,
} from './visible.ts';

const folder = (id: string, parent_id: string | null, children: string[] = []): FolderNode => ({
  id,
  name: id,
  description: null,
  parent_id,
  children,
});
const folders = new Map([
  ['sales', folder('sales', null, ['eu'])],
  ['eu', folder('eu', 'sales')],
]);

const workflow = (name: string, more: Partial<WorkflowSummary> = {}): WorkflowSummary => ({
  id: name,
  name,
  description: null,
  owner_id: 'o',
  owner_name: 'Owner',
  access: 'owner',
  folder_id: null,
  scheduled_for_deletion: null,
  first_node_type: null,
  mcp_enabled: false,
  portal_enabled: false,
  portal_slug: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  auth_type: 'jwt',
  http_method: 'POST',
  shared_by_team: null,
  ...more,
});

const names = (list: readonly WorkflowSummary[]) => list.map((item) => item.name);
type Place = Partial<Parameters<typeof visibleWorkflows>[1]> & { sort?: WorkflowSort };
const shown = (workflows: WorkflowSummary[], { sort = 'name', ...place }: Place = {}) =>
  names(visibleWorkflows(sortWorkflows(workflows, sort), { folders, ...place }));

describe('visibleWorkflows', () => {
  const all = [
    workflow('root'),
    workflow('in sales', { folder_id: 'sales', description: 'Monthly REPORT' }),
    workflow('in eu', { folder_id: 'eu' }),
    workflow('gone', { scheduled_for_deletion: '2026-01-02T00:00:00Z' }),
    workflow('theirs', { access: 'collaborator' }),
  ];

  it('shows everything but what awaits deletion without a folder', () => {
    expect(shown(all)).toEqual(['in eu', 'in sales', 'root', 'theirs']);
  });

  it('shows what is directly in the folder', () => {
    expect(shown(all, { folder: 'sales' })).toEqual(['in sales']);
  });

  it('searches names and descriptions, below the folder too', () => {
    expect(shown(all, { q: 'report monthly' })).toEqual(['in sales']);
    expect(shown(all, { folder: 'sales', q: 'in' })).toEqual(['in eu', 'in sales']);
    expect(shown(all, { folder: 'eu', q: 'in' })).toEqual(['in eu']);
  });

  it('has places for what awaits deletion and what others share', () => {
    expect(shown(all, { show: 'deleted' })).toEqual(['gone']);
    expect(shown(all, { show: 'shared' })).toEqual(['theirs']);
  });

  it('sorts names by their numbers and dates newest first', () => {
    const list = [
      workflow('Step 10', { updated_at: '2026-01-01T00:00:00Z', created_at: '2026-03-01T00:00:00Z' }),
      workflow('step 2', { updated_at: '2026-02-01T00:00:00Z', created_at: '2026-01-01T00:00:00Z' }),
    ];
    expect(shown(list, { sort: 'name' })).toEqual(['step 2', 'Step 10']);
    expect(shown(list, { sort: 'updated_at' })).toEqual(['step 2', 'Step 10']);
    expect(shown(list, { sort: 'created_at' })).toEqual(['Step 10', 'step 2']);
  });

  it('filters 10,000 sorted workflows within a frame or two', () => {
    const many = Array.from({ length: 10_000 }, (_, index) =>
      workflow(`Workflow ${index}`, { id: String(index) }),
    );
    visibleWorkflows(many, { folders, q: 'x' });
    // Time of the processor, not of the clock: other processes take none of it.
    const began = process.cpuUsage();
    expect(visibleWorkflows(many, { folders, q: 'workflow 99' })).toHaveLength(280);
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(200);
  });
});

describe('countWorkflows', () => {
  it('counts each place', () => {
    const counts = countWorkflows([
      workflow('a', { folder_id: 'eu' }),
      workflow('b', { access: 'collaborator' }),
      workflow('c', { scheduled_for_deletion: '2026-01-02T00:00:00Z' }),
    ]);
    expect(counts).toMatchObject({ all: 2, shared: 1, deleted: 1 });
    expect(counts.inFolder.get('eu')).toBe(1);
  });
});

describe('splitPinned', () => {
  it('keeps the order of the pins and forgets workflows that are not there', () => {
    const split = splitPinned([workflow('a'), workflow('b'), workflow('c')], ['c', 'x', 'a']);
    expect(names(split.pinned)).toEqual(['c', 'a']);
    expect(names(split.rest)).toEqual(['b']);
  });
});
