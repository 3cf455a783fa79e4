import type { Workflow } from '@millrace/contracts';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { ApiError } from '../../data/api.ts';
import { showInEditor } from '../testing/show-in-editor.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import type { Saving } from './saving.ts';
import { savedMeanwhile } from './server-state.ts';

const NODE = { id: 'a', type: 'set', position: { x: 0, y: 0 }, data: { label: 'left' } };

const show = (is_own: boolean) =>
  showInEditor(
    { nodes: [NODE], edges: [] },
    <ConflictDialog
      saving={
        {
          conflict: {
            is_own,
            theirs: { nodes: [NODE], edges: [] } as Partial<Workflow> as Workflow,
            merged: { nodes: [NODE], edges: [] },
            conflicts: [{ node_id: 'a', label: 'left', field: 'value', mine: 'new', theirs: 'old' }],
          },
        } as unknown as Saving
      }
    />,
  );

afterEach(cleanup);

test('what another person saved is called theirs', async () => {
  await show(false);
  await screen.findByRole('dialog', { name: 'Someone else saved this workflow in the meantime' });
  expect(screen.getByRole('columnheader', { name: 'Theirs' })).toBeTruthy();
});

test('what the same person saved meanwhile is said to come from somewhere else', async () => {
  await show(true);
  await screen.findByRole('dialog', { name: 'You saved this workflow somewhere else in the meantime' });
  expect(screen.getByRole('columnheader', { name: 'Somewhere else' })).toBeTruthy();
  expect(screen.getByRole('radio', { name: 'Here: left.value' })).toBeTruthy();
  expect(screen.queryByText(/[Tt]heirs/)).toBeNull();
});

test.each([
  [{ graph_saved_by_you: true }, true],
  [{ graph_saved_by_you: false }, false],
  [{}, false],
])('a conflict with %j is of the same person: %s', (detail, expected) => {
  const body = {
    code: 'conflict' as const,
    request_id: 'r',
    detail: { message: 'no', current: { nodes: [] }, ...detail },
  };
  expect(savedMeanwhile(new ApiError(409, 'no', { body }))?.is_own).toBe(expected);
});
