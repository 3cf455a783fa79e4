import type { Page } from '@playwright/test';
import { violations } from './axe.ts';
import { expect } from './journey.ts';
import { overflow } from './overflow.ts';

export const PHONE = { width: 390, height: 844 };

/** Checks the page as it is and in dark colours on a phone; shows it in light colours and its old size afterwards. */
export async function expectReadable(page: Page, part: { within?: string } = {}): Promise<void> {
  const size = page.viewportSize();
  expect(await violations(page, part)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(PHONE);
  expect(await violations(page, part)).toEqual([]);
  await expect.poll(() => overflow(page)).toBe(0);
  if (size) await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: 'light' });
}
