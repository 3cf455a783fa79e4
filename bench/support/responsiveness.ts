import type { Page } from '@playwright/test';
import { median } from './quantile.ts';

/** Time from an input event until its effect is painted, in milliseconds, as the browser's Event Timing API tells it. */
export interface Interaction {
  readonly name: string;
  readonly ms: number;
}

/** Below this the browser reports nothing. */
export const SHORTEST_REPORTED_MS = 16;

const WATCH = `
  window.__slowest = 0;
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId > 0) window.__slowest = Math.max(window.__slowest, duration);
  }).observe({ type: 'event', durationThreshold: ${SHORTEST_REPORTED_MS} });
`;

/** Reports come after the frame that they are about. */
const SETTLED_MS = 400;

/** Does each in turn, `times` times, and tells the median of how long its slowest input event took to show. */
export async function measureInteractions(
  page: Page,
  times: number,
  steps: readonly (readonly [name: string, step: () => Promise<unknown>, undo?: () => Promise<unknown>])[],
): Promise<Interaction[]> {
  await page.evaluate(WATCH);
  const found: Interaction[] = [];
  for (const [name, step, undo] of steps) {
    const taken: number[] = [];
    for (let time = 0; time < times; time += 1) {
      await page.evaluate('window.__slowest = 0');
      await step();
      await page.waitForTimeout(SETTLED_MS);
      taken.push(await page.evaluate<number>('window.__slowest'));
      await undo?.();
      await page.waitForTimeout(SETTLED_MS);
    }
    found.push({ name, ms: median(taken) });
  }
  return found;
}

/** The gaps between animation frames while something is going on, in milliseconds. */
export async function measureFrames(page: Page, during: () => Promise<unknown>): Promise<number[]> {
  await page.evaluate(`
    window.__gaps = [];
    window.__last = performance.now();
    window.__tick = (now) => {
      window.__gaps.push(now - window.__last);
      window.__last = now;
      window.__frame = requestAnimationFrame(window.__tick);
    };
    window.__frame = requestAnimationFrame(window.__tick);
  `);
  await during();
  return page.evaluate<number[]>('(cancelAnimationFrame(window.__frame), window.__gaps.slice(1))');
}
