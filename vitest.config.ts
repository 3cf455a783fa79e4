import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { compiledMessages } from './apps/web/build/compiled-messages.ts';
import { reusedForks } from './tools/test/reused-forks.ts';

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A second, which is usual, passes on a busy machine while one process waits for another.
    expect: { poll: { timeout: 10_000 } },
    // As for the journeys: two processes, databases and containers share two processors in CI.
    retry: process.env['CI'] === 'true' ? 1 : 0,
    // Modules are loaded once for the files of a process, not for each file. A process that ran all of them would hold 4 GB.
    pool: reusedForks(30),
    isolate: false,
    maxWorkers: 2,
    // The next run takes what has not changed from the last one; CI begins with a fresh clone.
    experimental: { fsModuleCache: process.env['CI'] !== 'true' },
    reporters: ['dot'],
    globalSetup: 'tools/test/global-setup.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          alias: [
            {
              find: /^@node-rs\/argon2$/,
              replacement: join(import.meta.dirname, 'tools/test/quick-argon2.ts'),
            },
          ],
          include: ['{packages,apps}/*/src/**/*.test.ts', 'e2e/{spec,smoke,journeys,model}/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'tools',
          // They wait for commands, some for minutes, in which no application in the same process would hold its lease.
          pool: 'forks',
          isolate: true,
          include: ['tools/**/*.test.ts', 'e2e/tools/**/*.test.ts'],
        },
      },
      {
        extends: true,
        plugins: [compiledMessages(), react()],
        test: {
          name: 'components',
          environment: 'jsdom',
          setupFiles: [
            'tools/test/settle-imports.ts',
            'apps/web/src/ui/testing/jsdom-gaps.ts',
            'apps/web/src/ui/testing/close-questions.ts',
          ],
          include: ['apps/web/src/**/*.test.tsx'],
          // It reads messages in the form in which the build leaves them, as in the app.
          server: { deps: { inline: ['use-intl'] } },
        },
      },
    ],
  },
});
