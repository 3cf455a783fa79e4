import { act, cleanup, render, screen } from '@testing-library/react';
import { ReactFlowProvider, useStoreApi } from '@xyflow/react';
import { afterEach, expect, test, vi } from 'vitest';
import { EdgeLabel } from './edge-label.tsx';

afterEach(cleanup);

test('labels of connections are drawn in the layer of their canvas, which is looked for once', async () => {
  const canvas = document.createElement('div');
  canvas.innerHTML = '<div class="react-flow__edgelabel-renderer"></div>';
  const look = vi.spyOn(canvas, 'querySelector');
  let store: ReturnType<typeof useStoreApi> | undefined;
  function Labels() {
    store = useStoreApi();
    return ['yes', 'no'].map((label) => <EdgeLabel key={label}>{label}</EdgeLabel>);
  }
  render(
    <ReactFlowProvider>
      <Labels />
    </ReactFlowProvider>,
  );
  expect(screen.queryByText(/yes/)).toBeNull();
  await act(async () => store?.setState({ domNode: canvas }));
  await act(async () => store?.setState({ transform: [10, 10, 1] }));
  expect(canvas.firstElementChild?.textContent).toBe('yesno');
  expect(look).toHaveBeenCalledTimes(1);
});
