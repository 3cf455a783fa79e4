import { TOOL_INPUT, type WorkflowDocument } from '@millrace/engine';
import { act, cleanup, screen } from '@testing-library/react';
import { ReactFlowProvider } from '@xyflow/react';
import { useEffect } from 'react';
import { afterEach, expect, test } from 'vitest';
import { useEditor } from '../../state/context.tsx';
import { showInEditor } from '../../testing/show-in-editor.tsx';
import { useNodeMenu } from './node-menu.tsx';

afterEach(cleanup);

const node = (id: string, type: string) => ({ id, type, position: { x: 0, y: 0 }, data: { label: id } });
const DRAWN: WorkflowDocument = {
  nodes: [
    node('start', 'textInput'),
    node('step', 'set'),
    node('agent', 'agent'),
    node('tool', 'set'),
    node('caught', 'errorHandler'),
    node('tell', 'set'),
  ],
  edges: [
    { id: 'a', source: 'start', target: 'step' },
    { id: 'b', source: 'step', target: 'agent' },
    { id: 'c', source: 'tool', target: 'agent', targetHandle: TOOL_INPUT },
    { id: 'd', source: 'caught', target: 'tell' },
  ],
};

function Menu({ chosen }: { chosen: string }) {
  const { store } = useEditor();
  useEffect(() => store.getState().select({ nodes: [chosen] }), [store, chosen]);
  return useNodeMenu().map((item) => ('label' in item ? <p key={item.label}>{item.label}</p> : null));
}

test.each([
  ['a step', 'step', true],
  ['a tool of an agent', 'tool', false],
  ['a node behind an error handler', 'tell', false],
  ['an error handler', 'caught', false],
])('runs of a part are offered as far as %s can be in one', async (_what, chosen, isOffered) => {
  await act(() =>
    showInEditor(
      DRAWN,
      <ReactFlowProvider>
        <Menu chosen={chosen} />
      </ReactFlowProvider>,
    ),
  );
  expect((await screen.findByText('Delete')).isConnected).toBe(true);
  const parts = ['Run to here', 'Run only this node', 'Run from here'];
  expect(parts.filter((part) => screen.queryByText(part) !== null)).toEqual(isOffered ? parts : []);
});
