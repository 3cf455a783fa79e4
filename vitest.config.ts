import { defineConfig } from 'vitest/config';

const TESTS = [
  '{packages,apps}/*/src/**/*.test.ts',
  'tools/**/*.test.ts',
  'e2e/{spec,smoke,journeys,tools}/**/*.test.ts',
];

/**
 * Files that get a process of their own, with the reason. All others share the modules that are loaded in one of two
 * processes, for most of the time of a file went into loading 1,200 modules again.
 */
const ISOLATED: Readonly<Record<string, string>> = {};

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A second, which is usual, passes on a busy machine while one process waits for another.
    expect: { poll: { timeout: 10_000 } },
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['dot'],
    globalSetup: 'tools/test/global-setup.ts',
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: TESTS, exclude: Object.keys(ISOLATED), isolate: false },
      },
      // { extends: true, test: { name: 'isolated', include: Object.keys(ISOLATED), isolate: true } },
    ],
  },
});
