import type { Page } from '@playwright/test';
import { createWorkflow, expect } from '../support/journey.ts';
import { ORDERS } from '../support/orders.ts';
import { BREAKS } from '../support/seed.ts';
import { everyLook, speakGerman } from './looks.ts';

const BUCKETS = 28;
const BUCKET_MS = 6 * 3_600_000;

/** A week as a shop has it: quiet nights, a busy Monday, an hour in which a partner did not answer. */
function week() {
  const end = Math.ceil(Date.now() / BUCKET_MS) * BUCKET_MS;
  const starts = Array.from({ length: BUCKETS }, (_, at) => end - (BUCKETS - at) * BUCKET_MS);
  const executions = starts.map((at, index) => {
    const hour = new Date(at).getUTCHours();
    return hour < 6 ? (index % 8 === 0 ? 0 : 14) : 120 + ((index * 53) % 190);
  });
  const errors = executions.map((count, index) => (index === 17 ? Math.round(count * 0.6) : count % 7));
  return {
    time_buckets: starts.map((at) => new Date(at).toISOString()),
    executions,
    errors,
    successes: executions.map((count, index) => Math.max(0, count - (errors[index] ?? 0) - (index % 3))),
    avg_latency_ms: executions.map((count, index) => (count === 0 ? null : 900 + ((index * 371) % 2_600))),
  };
}

/** Runs count by when they began, so that no run of today makes a week. */
async function showWeek(page: Page, workflows: readonly { id: string; name: string }[]): Promise<void> {
  const metrics = week();
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const total = sum(metrics.executions);
  const failed = sum(metrics.errors);
  const success = sum(metrics.successes);
  await page.route('**/api/analytics/metrics?*', (route) => route.fulfill({ json: metrics }));
  await page.route('**/api/analytics/stats?*', (route) =>
    route.fulfill({
      json: {
        total_executions: total,
        success_count: success,
        error_count: failed,
        success_rate: Math.round((success / total) * 1000) / 10,
        error_rate: Math.round((failed / total) * 1000) / 10,
        avg_latency_ms: 2_140,
        p50_latency_ms: 1_380,
        p95_latency_ms: 8_420,
        p99_latency_ms: 71_300,
        total_24h: 512,
        success_24h: 498,
        error_24h: 12,
        avg_latency_24h_ms: 1_900,
      },
    }),
  );
  await page.route('**/api/analytics/workflows?*', (route) =>
    route.fulfill({
      json: {
        items: workflows.map(({ id, name }, at) => ({
          workflow_id: id,
          workflow_name: name,
          execution_count: 2_400 - at * 380,
          success_count: 2_350 - at * 400,
          error_count: 50 + at * 20,
          success_rate: 97.9 - at * 4.3,
          error_rate: 2.1 + at * 4.3,
          avg_latency_ms: 1_900 + at * 4_000,
        })),
      },
    }),
  );
}

everyLook('analytics', async ({ join, take }) => {
  const person = await join();
  const { page } = person;
  const workflows = [];
  for (const workflow of [
    ORDERS,
    BREAKS,
    { name: 'Customer onboarding with a name that is longer than any table can show at once' },
    { name: 'Nightly export' },
  ]) {
    workflows.push(await createWorkflow(person, workflow));
  }
  await page.goto('/analytics');
  await expect(page.getByRole('heading', { name: 'No runs ended in this period' })).toBeVisible();
  await take(page, 'analytics-empty');
  await showWeek(page, workflows);
  await page.goto('/analytics');
  await expect(page.locator('[data-chart="runs"]')).toBeVisible();
  await take(page, 'analytics');
  const chart = page.locator('[data-chart="runs"]');
  const box = await chart.boundingBox();
  if (!box) throw new Error('the chart is not shown');
  await page.mouse.move(box.x + box.width * 0.62, box.y + 60);
  await take(page, 'analytics-bar');
  await page.getByRole('link', { name: 'Nightly export' }).last().scrollIntoViewIfNeeded();
  await take(page, 'analytics-workflows');
  await page.getByRole('radio', { name: 'Table' }).click();
  await take(page, 'analytics-table');
  await page.goto(
    `/analytics?workflow=${workflows[0]?.id}&from=2026-11-20T06:00:00.000Z&to=2026-11-21T06:00:00.000Z`,
  );
  await expect(page.locator('[data-chart="runs"]')).toBeVisible();
  await take(page, 'analytics-zoomed');
  await page.route('**/api/analytics/**', (route) =>
    route.fulfill({ status: 503, json: { error: 'overloaded', message: 'The service is busy. Try again.' } }),
  );
  await page.goto('/analytics');
  await expect(page.getByRole('alert').first()).toBeVisible();
  await take(page, 'analytics-failed');
  await page.unroute('**/api/analytics/**');
  await speakGerman(page.context());
  await page.goto('/analytics');
  await expect(page.locator('[data-chart="runs"]')).toBeVisible();
  await take(page, 'analytics-german');
});
