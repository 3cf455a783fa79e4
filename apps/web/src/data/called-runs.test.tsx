import type { RunStatus } from '@millrace/contracts';
import { getRunGraph } from '@millrace/contracts';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { endpointQuery } from './endpoint.ts';
import { createQueryClient } from './query-client.ts';
import { useCalledRuns } from './runs.ts';

const ID = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a10';
const CALLED = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a11';
const PATIENCE = { timeout: 5_000 };

/** Of the called runs, one request after the other; the last one repeats. */
let answers: RunStatus[][];
const fetched = vi.fn(async () => {
  const [statuses = []] = answers;
  if (answers.length > 1) answers.shift();
  return Response.json({ items: statuses.map((status) => ({ id: CALLED, status })), total: statuses.length });
});

afterEach(() => {
  cleanup();
  fetched.mockClear();
  vi.unstubAllGlobals();
});

function show(status: RunStatus, nodes?: { type: string }[]) {
  vi.stubGlobal('fetch', fetched);
  const client = createQueryClient();
  const { queryKey } = endpointQuery(getRunGraph, { params: { entry_id: ID } });
  if (nodes) client.setQueryData<unknown>(queryKey, { nodes, edges: [] });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const { result, rerender } = renderHook((now: RunStatus) => useCalledRuns({ id: ID, status: now }), {
    initialProps: status,
    wrapper,
  });
  return { rerender, listStatuses: () => result.current.data?.items.map((run) => run.status) };
}

test('runs that go on after the run that called them are followed to their end', async () => {
  answers = [['running'], ['running'], ['success']];
  const { listStatuses } = show('success', [{ type: 'execute' }]);
  await vi.waitFor(() => expect(listStatuses()).toEqual(['running']), PATIENCE);
  await vi.waitFor(() => expect(listStatuses()).toEqual(['success']), PATIENCE);
});

test('a run that has ended is looked at once more, for what it called at its end', async () => {
  answers = [[], ['success']];
  const { rerender, listStatuses } = show('running');
  await vi.waitFor(() => expect(listStatuses()).toEqual([]), PATIENCE);
  rerender('success');
  await vi.waitFor(() => expect(listStatuses()).toEqual(['success']), { timeout: 900 });
});

test('a run of a graph that calls nothing is not asked for called runs', async () => {
  answers = [[]];
  show('running', [{ type: 'textInput' }, { type: 'set' }]);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(fetched).not.toHaveBeenCalled();
});
