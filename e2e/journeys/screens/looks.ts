import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from '@playwright/test';
import { type Person, test } from '../support/journey.ts';

const FOLDER = fileURLToPath(new URL('../../../.build/screens/', import.meta.url));
const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;

export interface Camera {
  /** Whether there is room for the side bar and for columns. */
  wide: boolean;
  visitor: () => Promise<Page>;
  join: (name?: string) => Promise<Person>;
  /** Writes `name-theme-width.png` once nothing loads or moves any more. */
  take: (page: Page, name: string) => Promise<void>;
}

/** German, for the screens that are taken in the second language too. */
export async function speakGerman(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const preferences = JSON.parse(localStorage.getItem('millrace.preferences') ?? '{"version":1}');
    localStorage.setItem(
      'millrace.preferences',
      JSON.stringify({ ...preferences, state: { ...preferences.state, locale: 'de' } }),
    );
  });
}

/** Takes pictures in both themes and both widths. */
export function everyLook(
  title: string,
  shoot: (camera: Camera) => Promise<void>,
  /** Of another product than the usual one. */
  on: typeof test = test,
): void {
  for (const theme of ['light', 'dark'] as const) {
    for (const [width, viewport] of Object.entries(SIZES)) {
      on.describe(`${theme}, ${width}`, () => {
        on.use({
          contextOptions: {
            colorScheme: theme,
            viewport,
            reducedMotion: 'reduce',
            hasTouch: width === 'narrow',
            isMobile: width === 'narrow',
          },
        });
        on(title, ({ visitor, join }) =>
          shoot({
            wide: width === 'wide',
            visitor,
            join,
            take: async (page, name) => {
              await page.waitForLoadState('networkidle');
              await page.screenshot({
                path: `${FOLDER}${name}-${theme}-${width}.png`,
                animations: 'disabled',
              });
            },
          }),
        );
      });
    }
  }
}
