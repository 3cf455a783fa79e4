import { NodeFailure } from '@millrace/engine';
import { traceNode } from '@millrace/nodes/testing';
import { expect, test } from 'vitest';
import { readConfig } from '../../config.ts';

test('the default image has the browser of the version of Playwright that nodes install', async () => {
  const asked: string[] = [];
  const data = { playwrightSteps: [{ action: 'navigate', url: 'https://a.test' }] };
  await traceNode('playwright', data, {
    services: {
      startProgram({ requirements }) {
        asked.push(...requirements);
        return Promise.reject(new NodeFailure({ kind: 'sandbox', message: 'none' }));
      },
    },
  });
  const version = /^playwright-core@([\d.]+)$/.exec(asked[0] ?? '')?.[1];
  expect(readConfig({}).SANDBOX_BROWSER_IMAGE).toContain(`:v${version}-`);
});
