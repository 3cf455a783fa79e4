import type { BudgetUse } from '@millrace/contracts';
import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { showInEditor } from '../../editor/testing/show-in-editor.tsx';
import { OwnBudgetNotice, WorkflowBudgetNotices } from './budget-notices.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const RUN = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a13';
const use = (
  budget: BudgetUse['budget'],
  spent_usd: number,
  state: BudgetUse['state'],
  node_label: string | null = null,
): BudgetUse => ({
  budget,
  node_label,
  amount_usd: 1,
  spent_usd,
  state,
});

function answer(items: BudgetUse[]) {
  const asked = vi.fn(async (_url: string) => Response.json({ items }));
  vi.stubGlobal('fetch', asked);
  return asked;
}
const show = (
  budgets: { run_budget_usd: number | null; daily_budget_usd: number | null },
  run_id: string | undefined,
  of_nodes = false,
) =>
  showInEditor(
    { nodes: [], edges: [] },
    <WorkflowBudgetNotices workflow={{ id: 'w', ...budgets }} of_nodes={of_nodes} run_id={run_id} />,
  );
/** Time enough to read an answer and to show it. */
const settle = () => act(() => new Promise((resolve) => setTimeout(resolve, 50)));

test('80 % of a budget are said, and that it is used up, with both amounts', async () => {
  const asked = answer([use('run', 1.05, 'used_up'), use('workflow_day', 0.85, 'warned')]);
  await show({ run_budget_usd: 1, daily_budget_usd: 1 }, RUN);
  const lines = await screen.findAllByRole('status');
  expect(lines.map(({ textContent }) => textContent)).toEqual([
    'Cost budget of this run: $1.05 of $1.00 is spent. Models are not called any more.',
    'Cost budget of this workflow for today: $0.85 of $1.00 is spent. Models are no longer called once it is used up.',
  ]);
  expect(String(asked.mock.calls[0]?.[0])).toContain(`run_id=${RUN}`);
});

test('the budget of a node is named with the node, as soon as there is a run', async () => {
  const asked = answer([use('node', 0.8, 'warned', 'writer'), use('node', 1, 'used_up', 'critic')]);
  await show({ run_budget_usd: null, daily_budget_usd: null }, undefined, true);
  await settle();
  expect(asked).not.toHaveBeenCalled();
  cleanup();
  await show({ run_budget_usd: null, daily_budget_usd: null }, RUN, true);
  const lines = await screen.findAllByRole('status');
  expect(lines.map(({ textContent }) => textContent)).toEqual([
    'Cost budget of the node writer: $0.80 of $1.00 is spent. Models are no longer called once it is used up.',
    'Cost budget of the node critic: $1.00 of $1.00 is spent. Models are not called any more.',
  ]);
});

test('below that there is no line', async () => {
  const asked = answer([use('workflow_day', 0.79, 'fine')]);
  await show({ run_budget_usd: null, daily_budget_usd: 1 }, undefined);
  await vi.waitFor(() => expect(asked).toHaveBeenCalled());
  await settle();
  expect(screen.queryByRole('status')).toBeNull();
});

test('without a budget that could hold the server is not asked', async () => {
  const asked = answer([]);
  await show({ run_budget_usd: 1, daily_budget_usd: null }, undefined);
  await settle();
  expect(asked).not.toHaveBeenCalled();
});

test('the account has a line of its own', async () => {
  answer([use('user_day', 0.9, 'warned')]);
  await showInEditor({ nodes: [], edges: [] }, <OwnBudgetNotice amount_usd={1} />);
  expect((await screen.findByRole('status')).textContent).toMatch(
    /^Cost budget of your account for today: \$0\.90 of \$1\.00/,
  );
});
