import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      '{packages,apps}/*/src/**/*.test.{ts,tsx}',
      'tools/**/*.test.ts',
      'e2e/{spec,smoke,journeys,tools}/**/*.test.ts',
    ],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A second, which is usual, passes on a busy machine while one process waits for another.
    expect: { poll: { timeout: 10_000 } },
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['dot'],
  },
});
