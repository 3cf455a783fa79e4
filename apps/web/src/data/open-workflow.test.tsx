import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createQueryClient } from './query-client.ts';
import { useOpenWorkflow } from './workflows.ts';

const ID = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a10';
let answer: () => Response;
const fetched = vi.fn(async () => answer());

beforeEach(() => {
  vi.useFakeTimers();
  fetched.mockClear();
  vi.stubGlobal('fetch', fetched);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function open() {
  const client = createQueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const { result } = renderHook(() => useOpenWorkflow(ID), { wrapper });
  await pass(100);
  return () => result.current.data;
}

test('a workflow that is gone is not asked for again and again', async () => {
  answer = () => Response.json({ id: ID, updated_at: 'one', nodes: [], edges: [] });
  await open();
  answer = () => Response.json({ detail: 'Workflow not found' }, { status: 404 });
  await pass(20_000);
  expect(fetched).toHaveBeenCalledTimes(2);
  await pass(120_000);
  expect(fetched).toHaveBeenCalledTimes(2);
});

test('rights are followed as well as what is saved; the graph is compared only when something was saved', async () => {
  answer = () =>
    Response.json({ id: ID, updated_at: 'one', is_shared: false, nodes: [{ id: 'a' }], edges: [] });
  const read = await open();
  const nodes = read()?.nodes;
  // A graph that no save has changed is the one that is there.
  answer = () => Response.json({ id: ID, updated_at: 'one', is_shared: true, nodes: [], edges: [] });
  await pass(20_000);
  expect(read()).toMatchObject({ is_shared: true });
  expect(read()?.nodes).toBe(nodes);
  answer = () => Response.json({ id: ID, updated_at: 'two', nodes: [{ id: 'a' }, { id: 'b' }], edges: [] });
  await pass(20_000);
  expect(read()?.nodes).toHaveLength(2);
});
