import type { CostEstimate } from '@millrace/contracts';
import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { showInEditor } from '../../editor/testing/show-in-editor.tsx';
import { CostEstimateNote, roundedUp } from './cost-estimate-note.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const NONE: CostEstimate = {
  basis: 'none',
  up_to_usd: null,
  median_usd: null,
  runs: 0,
  unlimited_nodes: [],
  unpriced_nodes: [],
  starting_nodes: [],
};

async function show(estimate: Partial<CostEstimate>, detailed: boolean): Promise<string> {
  const answered = vi.fn(async () => Response.json({ ...NONE, ...estimate }));
  vi.stubGlobal('fetch', answered);
  const { container } = await showInEditor(
    { nodes: [], edges: [] },
    <CostEstimateNote id="w" detailed={detailed} />,
  );
  await vi.waitFor(() => expect(answered).toHaveBeenCalled());
  // Time enough to read the answer and to show it.
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
  return container.textContent ?? '';
}

test.each([
  [0.4137, 0.42],
  [0.4, 0.4],
  [0.29, 0.29],
  [12.34, 13],
  [0.000123, 0.00013],
  [0, 0],
])('%d is about %d: two digits, never below', (usd, about) => {
  expect(roundedUp(usd)).toBe(about);
});

test('the likely cost is said in one sentence, with what it comes from for screen readers', async () => {
  await show({ basis: 'runs', up_to_usd: 0.396, median_usd: 0.2, runs: 12 }, false);
  const note = await screen.findByText(/^A run costs up to about \$0\.40\./);
  expect(note.title).toBe('From the last 12 runs; half of them cost at most $0.20.');
  expect(note.textContent).toContain(note.title);
});

test('in the settings it says what it comes from, and what is not in it', async () => {
  await show({ basis: 'limits', up_to_usd: 2, unpriced_nodes: ['ask', 'sum'] }, true);
  expect(await screen.findByText('A run costs up to about $2.00.')).toBeTruthy();
  expect(screen.getByText('From the prices of the models and the limits of the nodes.')).toBeTruthy();
  expect(screen.getByText('Not counted, for their models have no known price: ask, sum.')).toBeTruthy();
});

test('it says which nodes start workflows whose costs are not in it', async () => {
  await show({ basis: 'limits', up_to_usd: 2, starting_nodes: ['call'] }, true);
  expect(
    await screen.findByText('The cost of the workflows that this node starts is not included: call.'),
  ).toBeTruthy();
});

test('without an estimate the settings say how to get one, and the run panel has no line', async () => {
  await show({ unlimited_nodes: ['ask'] }, true);
  expect(await screen.findByText(/once these nodes have a cost budget .*: ask\.$/)).toBeTruthy();
  cleanup();
  expect(await show({ unlimited_nodes: ['ask'] }, false)).toBe('');
});

test('a workflow without models has no line', async () => {
  expect(await show({}, true)).toBe('');
});
