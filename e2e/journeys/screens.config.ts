import { defineConfig } from '@playwright/test';
import journeys from './playwright.config.ts';

/** Writes a picture of every screen in both themes and widths to `.build/screens/`, for review. */
export default defineConfig({
  ...journeys,
  testDir: './screens',
  testMatch: '*.screens.ts',
  timeout: 240_000,
  reporter: [['list']],
});
