import { createWorkflow, expect } from '../support/journey.ts';
import { ASKS, call, execute, seed } from '../support/seed.ts';
import { everyLook, speakGerman } from './looks.ts';

interface RunList {
  items: { id: string; workflow_name: string; status: string }[];
}

everyLook('triggers and schedules', async ({ join, take }) => {
  const person = await join();
  const { page } = person;
  for (const name of ['triggers', 'schedules']) {
    await page.goto(`/${name}`);
    await take(page, `${name}-empty`);
  }
  await seed(person, await join('Grace Hopper'));
  await page.goto('/triggers');
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await take(page, 'triggers');
  await page.getByRole('row').nth(1).getByText('Ready').click();
  await take(page, 'trigger-detail');
  for (const view of ['month', 'week', 'day']) {
    await page.goto(`/schedules?view=${view}`);
    await expect(page.getByRole('heading', { level: 2 }).last()).toBeVisible();
    await take(page, `schedules-${view}`);
  }
  await speakGerman(page.context());
  await page.goto('/schedules?view=month');
  await take(page, 'schedules-german');
});

everyLook('inbox', async ({ join, take }) => {
  const person = await join();
  const { page } = person;
  await page.goto('/inbox');
  await take(page, 'inbox-empty');
  await seed(person, await join('Grace Hopper'));
  await page.goto('/inbox');
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await take(page, 'inbox');
  await page.getByRole('checkbox').nth(1).click();
  await take(page, 'inbox-selected');
  await speakGerman(page.context());
  await page.goto('/inbox');
  await take(page, 'inbox-german');
});

everyLook('reviews', async ({ join, take }) => {
  const person = await join();
  const { page } = person;
  await page.goto('/inbox/reviews');
  await take(page, 'reviews-empty');
  const { id } = await createWorkflow(person, ASKS);
  for (const customer of ['Ada', 'Grace']) await execute(person, id, { customer });
  await page.goto('/inbox/reviews');
  await expect(page.getByRole('row').nth(2)).toBeVisible();
  await take(page, 'reviews');
  await page.getByRole('row').nth(1).click();
  await expect(page.getByRole('heading', { name: 'Answer to Grace' })).toBeVisible();
  await take(page, 'reviews-open');
  await speakGerman(page.context());
  await page.reload();
  await take(page, 'reviews-german');
});

everyLook('runs', async ({ wide, join, take }) => {
  const person = await join();
  const { page } = person;
  await page.goto('/runs');
  await take(page, 'runs-empty');
  await seed(person, await join('Grace Hopper'));
  await page.goto('/runs');
  await expect(page.getByRole('link', { name: 'Nightly export' })).toBeVisible();
  await take(page, 'runs');
  const { items } = await call<RunList>(person, 'GET', '/api/workflows/history/all');
  const [failed] = items.filter((run) => run.status === 'error');
  const [first, second] = items.filter((run) => run.workflow_name === 'Order intake');
  const [running] = items.filter((run) => run.status === 'running' || run.status === 'pending');
  await page.goto(`/runs?run=${failed?.id}`);
  await expect(page.getByText('Failed at refuse')).toBeVisible();
  await take(page, 'runs-failed');
  await page.goto(`/runs/${first?.id}`);
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await take(page, 'run-timeline');
  await page.getByRole('tab', { name: 'Outputs' }).click();
  await take(page, 'run-outputs');
  await page.goto(`/runs/${running?.id}`);
  await take(page, 'run-running');
  await page.goto(`/runs/${second?.id}/compare/${first?.id}`);
  await expect(page.getByRole('heading', { name: 'Compare runs' })).toBeVisible();
  await take(page, 'runs-compare');
  await page.goto('/runs?status=cached');
  await take(page, 'runs-none-match');
  await page.goto('/runs');
  await page.getByRole('combobox', { name: /^Workflow/ }).click();
  await take(page, 'runs-workflow-filter');
  await page.keyboard.press('Escape');
  if (wide) {
    const boxes = page.getByRole('checkbox', { name: 'Select run of Order intake' });
    await boxes.nth(0).click();
    await boxes.nth(1).click();
    await take(page, 'runs-selected');
  }
  await speakGerman(person.context);
  await page.goto(`/runs?run=${failed?.id}`);
  await take(page, 'runs-german');
});
