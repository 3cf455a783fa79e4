import type { WorkflowNode } from '@millrace/engine';
import { act, cleanup, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { useEditor } from '../../editor/state/context.tsx';
import { showInEditor } from '../../editor/testing/show-in-editor.tsx';
import { setParameter } from '../document/change.ts';
import { useDocument } from '../document/context.ts';
import { FailureCard } from './failure-card.tsx';

const RUN = '0b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a11';
const node = (condition: string): WorkflowNode => ({
  id: 'n1',
  type: 'condition',
  position: { x: 0, y: 0 },
  data: { label: 'check', condition },
});
const ranGraph = {
  version_id: RUN,
  version_number: null,
  is_draft: true,
  nodes: [node('$order.old > 1')],
  edges: [],
};

let editor: ReturnType<typeof useEditor>;

function Shown() {
  const shown = useEditor();
  useEffect(() => {
    editor = shown;
    shown.run.getState().receive({ type: 'execution_started', execution_id: RUN });
  }, [shown]);
  const current = useDocument((state) => state.document.nodes[0]);
  const record = {
    status: 'error',
    output: null,
    error: 'It broke',
    started_at_ms: 0,
    execution_time_ms: 1,
  } as const;
  return current ? <FailureCard node={current} record={record} attempt={1} attempts={1} round="" /> : null;
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('a failure shows the expression that failed, also after it was changed', async () => {
  const answer = async (input: RequestInfo | URL) =>
    String(input).includes(`${RUN}/graph`) ? Response.json(ranGraph) : Response.json([]);
  vi.stubGlobal('fetch', answer);
  await showInEditor({ nodes: [node('$order.old > 1')], edges: [] }, <Shown />);
  await screen.findByText('$order.old > 1', { selector: 'pre' });
  expect(screen.queryByText(/Changed since this run/)).toBeNull();
  act(() => {
    editor.store
      .getState()
      .edit((document) => setParameter(document, 'n1', { name: 'condition', value: '$order.fresh > 1' }));
  });
  expect(screen.getByText('$order.old > 1', { selector: 'pre' })).toBeTruthy();
  expect(screen.getByText(/Changed since this run/)).toBeTruthy();
  expect(screen.queryByText(/fresh/)).toBeNull();
});
