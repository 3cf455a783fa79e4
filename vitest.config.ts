import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { compiledMessages } from './apps/web/build/compiled-messages.ts';

/** Files with a process of their own each, and why. */
const ISOLATED: Readonly<Record<string, string>> = {
  'packages/nodes/src/s3/run.test.ts':
    'the server of the tests breaks connections where the service was loaded before',
};

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A second, which is usual, passes on a busy machine while one process waits for another.
    expect: { poll: { timeout: 10_000 } },
    pool: 'forks',
    // One more than the processors of the usual machine: each waits for its database half of the time.
    maxWorkers: 3,
    // Test files of one process share the modules that are loaded: most of the time of a file went into loading 1,200 of
    // them again. Nothing in the product keeps state in a module; a test that changes `process.env` or timers undoes that.
    isolate: false,
    reporters: ['dot'],
    globalSetup: 'tools/test/global-setup.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: [
            '{packages,apps}/*/src/**/*.test.ts',
            'tools/**/*.test.ts',
            'e2e/{spec,smoke,journeys,tools}/**/*.test.ts',
          ],
          exclude: Object.keys(ISOLATED),
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: Object.keys(ISOLATED), isolate: true },
      },
      {
        extends: true,
        plugins: [compiledMessages(), react()],
        test: { name: 'components', environment: 'jsdom', include: ['apps/web/src/**/*.test.tsx'] },
      },
    ],
  },
});
