import { cleanup, fireEvent, screen } from '@testing-library/react';
import { type NodeProps, ReactFlowProvider } from '@xyflow/react';
import { afterEach, expect, test, vi } from 'vitest';
import { showInEditor } from '../../testing/show-in-editor.tsx';
import { CanvasActionsProvider } from '../canvas-actions.tsx';
import type { CanvasNode } from './flow-elements.ts';
import { NodeView } from './node-view.tsx';

const data = {
  type: 'condition',
  label: 'isLarge',
  active: true,
  pinned: false,
  retries: false,
  problem: undefined,
  connected: ['true'],
  data: { label: 'isLarge' },
};

afterEach(cleanup);

test('the button of an open output is beside its handle, before the name, and adds a node behind it', async () => {
  const openSearch = vi.fn();
  const props = { id: 'n1', data, selected: false } as unknown as NodeProps<CanvasNode>;
  await showInEditor(
    { nodes: [], edges: [] },
    <ReactFlowProvider>
      <CanvasActionsProvider actions={{ openSearch, insertOnEdge: vi.fn() }}>
        <NodeView {...props} />
      </CanvasActionsProvider>
    </ReactFlowProvider>,
  );
  const plus = await screen.findByRole('button', { name: 'Add a node after isLarge, output false' });
  expect(plus.parentElement?.firstElementChild).toBe(plus);
  expect(plus.nextElementSibling?.textContent).toBe('false');
  fireEvent.click(plus);
  expect(openSearch.mock.calls).toEqual([[{ after: { id: 'n1', handle: 'false' } }]]);
});
