import type { FolderTree } from '@millrace/contracts';
import { describe, expect, it } from 'vitest';
import { flatten, folderPath, isWithin } from './folders.ts';

const folder = (id: string, parent_id: string | null, children: FolderTree[] = []): FolderTree => ({
  id,
  name: id.toUpperCase(),
  description: null,
  parent_id,
  owner_id: 'o',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  children,
  workflows: [],
});

const folders = flatten([
  folder('sales', null, [folder('eu', 'sales', [folder('de', 'eu')])]),
  folder('ops', null),
]);

describe('flatten', () => {
  it('keeps every folder with the ids of those directly in it', () => {
    expect([...folders.keys()]).toEqual(['sales', 'ops', 'eu', 'de']);
    expect(folders.get('sales')?.children).toEqual(['eu']);
    expect(folders.get('de')?.parent_id).toBe('eu');
  });
});

describe('folderPath', () => {
  it.each([
    ['de', ['sales', 'eu', 'de']],
    ['ops', ['ops']],
    ['gone', []],
    [null, []],
  ])('leads from the root to %s', (id, path) => {
    expect(folderPath(folders, id).map((part) => part.id)).toEqual(path);
  });

  it('ends where folders contain each other', () => {
    const ring = new Map([
      ['a', { id: 'a', name: 'a', description: null, parent_id: 'b', children: ['b'] }],
      ['b', { id: 'b', name: 'b', description: null, parent_id: 'a', children: ['a'] }],
    ]);
    expect(folderPath(ring, 'a')).toHaveLength(2);
  });
});

describe('isWithin', () => {
  it.each([
    ['de', 'sales', true],
    ['sales', 'sales', true],
    ['sales', 'de', false],
    ['ops', 'sales', false],
    ['gone', 'sales', false],
  ])('%s in %s: %s', (id, ancestor, within) => {
    expect(isWithin(folders, id, ancestor)).toBe(within);
  });
});
