import type { CostGrouping, TraceCosts } from '@millrace/contracts';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { showInEditor } from '../../../editor/testing/show-in-editor.tsx';
import { CostCharts } from './cost-charts.tsx';

afterEach(cleanup);

const WORKFLOW = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a10';
const sums = (cost_usd: number) => ({
  calls: 2,
  unpriced_calls: 0,
  cost_usd,
  prompt_tokens: 100,
  completion_tokens: 20,
});
const COSTS: TraceCosts = {
  time_buckets: ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z', '2026-11-03T00:00:00.000Z'],
  total: { ...sums(3), prompt_tokens: 200, completion_tokens: 40 },
  series: [
    { ...sums(2), kind: 'group', id: WORKFLOW, name: 'Mood', costs_usd: [0, 2, 0], tokens: [0, 120, 0] },
    { ...sums(0.75), kind: 'group', id: null, name: null, costs_usd: [0, 0.75, 0], tokens: [0, 100, 0] },
    { ...sums(0.25), kind: 'rest', id: null, name: null, costs_usd: [0, 0, 0.25], tokens: [0, 0, 20] },
  ],
};

async function show(costs = COSTS, by: CostGrouping = 'workflow') {
  const onWorkflow = vi.fn();
  await showInEditor({ nodes: [], edges: [] }, <CostCharts costs={costs} by={by} onWorkflow={onWorkflow} />);
  await screen.findByRole('heading', { name: 'Cost over time' });
  return onWorkflow;
}

test('cost and tokens over time are drawn, with a sentence for those who do not see them', async () => {
  await show();
  expect(screen.getByRole('img', { name: '$3.00 from Nov 1, 2026 to Nov 4, 2026' })).toBeTruthy();
  expect(screen.getByRole('img', { name: '240 tokens from Nov 1, 2026 to Nov 4, 2026' })).toBeTruthy();
});

test('each group has its sums, calls outside of workflows too, and a workflow can be chosen', async () => {
  const onWorkflow = await show();
  const table = screen.getByRole('table', { name: 'Workflow' });
  for (const text of ['Mood', 'Outside of workflows', 'All others', '$2.00', '$0.75', '$0.25']) {
    expect(within(table).getByText(text), text).toBeTruthy();
  }
  expect(within(table).getAllByRole('button')).toHaveLength(1);
  fireEvent.click(within(table).getByRole('button', { name: 'Show only Mood' }));
  expect(onWorkflow).toHaveBeenCalledWith(WORKFLOW);
});

test('the table has each bucket with calls, the newest first', async () => {
  await show();
  fireEvent.click(screen.getByRole('radio', { name: 'Table' }));
  const table = screen.getByRole('table', { name: 'Cost over time' });
  const rows = within(table)
    .getAllByRole('row')
    .map((row) => row.textContent);
  expect(rows.slice(1)).toEqual(['Nov 3, 202620$0.25', 'Nov 2, 2026220$2.75']);
  expect(screen.queryByRole('img')).toBeNull();
});

test('calls without known prices have no cost chart, but their tokens are drawn', async () => {
  const series = COSTS.series.map((each) => ({ ...each, cost_usd: 0, costs_usd: [0, 0, 0] }));
  await show({ ...COSTS, total: { ...COSTS.total, cost_usd: 0 }, series }, 'user');
  expect(screen.getByText('No call in this period has a known price.')).toBeTruthy();
  expect(screen.getAllByRole('img')).toHaveLength(1);
  expect(screen.getByRole('heading', { name: 'By person' })).toBeTruthy();
});
