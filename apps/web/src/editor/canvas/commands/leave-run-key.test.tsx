import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { type Node, ReactFlow } from '@xyflow/react';
import { afterEach, expect, test, vi } from 'vitest';
import { leaveRunKey } from './leave-run-key.ts';

afterEach(cleanup);

const node: Node = {
  id: 'a',
  position: { x: 0, y: 0 },
  data: { label: 'a' },
  selected: true,
  measured: { width: 10, height: 10 },
};

test('running by key leaves the node with the focus selected', () => {
  const onNodesChange = vi.fn();
  render(
    <div style={{ width: 100, height: 100 }} onKeyDownCapture={leaveRunKey}>
      <ReactFlow nodes={[node]} multiSelectionKeyCode="Control" onNodesChange={onNodesChange} />
    </div>,
  );
  const card = screen.getByText('a').closest<HTMLElement>('.react-flow__node') as HTMLElement;
  onNodesChange.mockClear();
  act(() => void fireEvent.keyDown(card, { key: 'Control', code: 'ControlLeft', ctrlKey: true }));
  act(() => void fireEvent.keyDown(card, { key: 'Enter', code: 'Enter', ctrlKey: true }));
  expect(onNodesChange).not.toHaveBeenCalled();
});
