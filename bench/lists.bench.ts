/**
 * The grid of a data table with many rows in the real app, against the built product in Chromium.
 * Run with `npm run bench -- lists [rows]`.
 *
 * Opening and sorting are the time from the click until the first row of the answer is drawn. Scrolling is the gaps between
 * frames while the wheel turns through rows that are loaded meanwhile, and again through rows that are there.
 */
import type { Page } from '@playwright/test';
import { quantile } from './support/quantile.ts';
import { measureFrames } from './support/responsiveness.ts';
import { withSignedInPage } from './support/signed-in-page.ts';

const ROWS = Number(process.argv[2] ?? 100_000);
/** The most that one request takes. */
const BATCH = 10_000;
const TURNS = 120;
const TURN_PX = 1_700;

const columns = [
  { name: 'number', type: 'number' },
  { name: 'name', type: 'string' },
  { name: 'paid', type: 'boolean' },
  { name: 'since', type: 'date' },
  { name: 'tags', type: 'json' },
  { name: 'note', type: 'string' },
];
const createRow = (at: number) => ({
  data: {
    number: at,
    name: `Customer ${at}`,
    paid: at % 3 === 0,
    since: new Date(Date.UTC(2020, 0, 1 + (at % 2000))).toISOString(),
    tags: [`t${at % 7}`, `t${at % 11}`],
    note: `Row ${at} of a long list`,
  },
});
const ms = (value: number): string => `${value.toFixed(0)} ms`;

/** Milliseconds from a click on `target` until the grid shows a first row that has `text`. */
async function untilShown(page: Page, target: string, text: string): Promise<number> {
  // The value of the text is waited for, and so must not be the promise itself.
  await page.evaluate(`
    void (window.__shown = new Promise((resolve) => {
      const cell = '[role=grid] [aria-rowindex="2"]';
      document.addEventListener('click', () => {
        const from = performance.now();
        const look = () => document.querySelector(cell)?.textContent.includes(${JSON.stringify(text)})
          ? requestAnimationFrame(() => resolve(performance.now() - from))
          : requestAnimationFrame(look);
        look();
      }, { capture: true, once: true });
    }));
  `);
  await page.locator(target).first().click();
  return page.evaluate<number>('window.__shown');
}

async function scroll(page: Page, name: string, down: boolean): Promise<void> {
  const grid = page.getByRole('grid');
  await grid.hover();
  const gaps = await measureFrames(page, async () => {
    for (let turn = 0; turn < TURNS; turn += 1) {
      await page.mouse.wheel(0, down ? TURN_PX : -TURN_PX);
      await page.waitForTimeout(30);
    }
  });
  process.stdout.write(
    `  ${name}: ${gaps.length} frames, median ${ms(quantile(gaps, 0.5))}, p95 ${ms(quantile(gaps, 0.95))}, longest ${ms(quantile(gaps, 1))}\n`,
  );
}

await withSignedInPage(async ({ page, post }) => {
  const { id } = await post('/api/data-tables', { name: 'Long', columns });
  for (let at = 0; at < ROWS; at += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, ROWS - at) }, (_, index) => createRow(at + index));
    await post(`/api/data-tables/${id}/rows/bulk`, rows);
  }
  await page.goto('/data-tables');
  const opened = await untilShown(page, 'main a:has-text("Long")', `Customer`);
  process.stdout.write(`${ROWS} rows:\n  opened after ${ms(opened)}\n`);
  const sorted = await untilShown(page, '[role=columnheader] button:has-text("number")', 'Customer 0');
  process.stdout.write(`  sorted after ${ms(sorted)}\n`);
  await scroll(page, 'scrolled down, loading', true);
  await scroll(page, 'scrolled back', false);
  process.stdout.write(`  ${await page.locator('[role=grid] [role=row]').count()} rows in the page\n`);
});
