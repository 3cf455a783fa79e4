import { cleanup, fireEvent, screen } from '@testing-library/react';
import { type NodeProps, ReactFlowProvider } from '@xyflow/react';
import { useEffect } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { useEditor } from '../../../editor/state/context.tsx';
import { showInEditor } from '../../../editor/testing/show-in-editor.tsx';
import type { StoredResult } from '../../run-view/run-store.ts';
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

test('a node with unresolved references is amber and shows their number', async () => {
  const props = {
    id: 'n1',
    data: { ...data, type: 'set' },
    selected: false,
  } as unknown as NodeProps<CanvasNode>;
  const reference = { field: 'mappings.0.value', reference: '$input.txet', instead: '$input.txet' };
  const result = { node_id: 'n1', status: 'success', output: {}, error: null, execution_time_ms: 1 };
  const { container } = await showInEditor(
    { nodes: [], edges: [] },
    <ReactFlowProvider>
      <RunShown
        results={[
          { ...result, metadata: { unresolved_references: [reference] } },
          { ...result, metadata: { iteration: '1', unresolved_references: [reference] } },
        ]}
      />
      <NodeView {...props} />
    </ReactFlowProvider>,
  );
  expect(await screen.findByText('2 unresolved references')).toBeTruthy();
  expect(container.querySelector('.canvas-node')?.className).toContain('border-warning');
});

/** Shows a stored run on the canvas. */
function RunShown({ results }: { results: StoredResult[] }) {
  const { run } = useEditor();
  useEffect(() => {
    const started_at = '2026-01-01T00:00:00Z';
    run.getState().show({
      execution_id: 'r',
      status: 'success',
      outputs: {},
      inputs: {},
      started_at,
      execution_time_ms: 1,
      node_results: results,
    });
  }, [run, results]);
  return null;
}
