import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './journey.ts';

/** Everything that still loads or moves, as texts; empty once the page is as a user reads it. */
const unsettled = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    // The last rendering is drawn, and its animations have begun, two frames later.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const loading = [...document.querySelectorAll('[aria-busy="true"], [data-skeleton]')];
    const moving = document.getAnimations().filter(({ playState }) => playState === 'running');
    return [
      ...(document.querySelector('h1') ? [] : ['no h1']),
      ...loading.map((element) => `loading: ${element.outerHTML.slice(0, 120)}`),
      ...moving.map(({ effect }) => {
        const target = effect instanceof KeyframeEffect ? effect.target : null;
        return `moving: ${target?.outerHTML.slice(0, 120)}`;
      }),
    ];
  });

/**
 * The findings of axe, as `rule: selector`, by all of its default rules. Waits until the page has its heading, and
 * nothing in it loads or moves.
 */
export async function violations(page: Page, { within }: { within?: string } = {}): Promise<string[]> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  // A toast that fades out while axe reads it has too little contrast.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect.poll(() => unsettled(page), { message: 'the page settles' }).toEqual([]);
  const axe = new AxeBuilder({ page });
  const { violations: found } = await (within ? axe.include(within) : axe).analyze();
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** The same in the dark theme and then in the light one, which the page keeps. */
export async function violationsInBothThemes(page: Page, part: { within?: string } = {}): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await violations(page, part)).map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}
