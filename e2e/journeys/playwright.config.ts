import { defineConfig } from '@playwright/test';
import { findBrowser } from '../../tools/test/services.mjs';

const browser = findBrowser();

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  // Generous, for a machine that does other work too; nothing waits longer than it has to.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  fullyParallel: false,
  // A single one leaves two processors half idle, because it waits for animations, timers and responses.
  workers: 2,
  // A busy machine in CI drops a frame or two; what passed only then is listed as flaky.
  retries: process.env['CI'] === 'true' ? 1 : 0,
  outputDir: '../../test-results',
  reporter: [
    ['list'],
    [
      'json',
      { outputFile: process.env['PLAYWRIGHT_JSON_OUTPUT_FILE'] ?? '../../.build/reports/browser.json' },
    ],
  ],
  use: {
    viewport: { width: 1440, height: 900 },
    trace: 'off',
    launchOptions: {
      ...(browser ? { executablePath: browser } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
