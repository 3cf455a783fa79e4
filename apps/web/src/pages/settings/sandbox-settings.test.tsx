import type { SandboxState } from '@millrace/contracts';
import { cleanup } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { showInEditor } from '../../editor/testing/show-in-editor.tsx';
import { SandboxSettings } from './sandbox-settings.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const READY: SandboxState = {
  status: 'ready',
  engine: '27.1.0',
  problem: null,
  browser_problem: null,
  python_tools: 'container',
};

/** Shows the state, and waits for the words. */
async function expectWords(state: Partial<SandboxState>, words: readonly string[]): Promise<string> {
  vi.stubGlobal('fetch', async () => Response.json({ ...READY, ...state }));
  const { container } = await showInEditor({ nodes: [], edges: [] }, <SandboxSettings />);
  await vi.waitFor(() => {
    for (const word of words) expect(container.textContent).toContain(word);
  });
  return container.textContent ?? '';
}

test('an engine that is ready is named with its version, and nothing is missing', async () => {
  expect(await expectWords({}, ['Ready: container engine 27.1.0'])).not.toContain('cannot be run');
});

test.each<[string, Partial<SandboxState>, string[]]>([
  [
    'no engine',
    { status: 'unavailable', engine: null, problem: 'Start Docker' },
    ['Code cannot be run', 'Start Docker'],
  ],
  [
    'no image with a browser',
    { browser_problem: 'docker pull browser' },
    ['Ready', 'Playwright nodes cannot be run', 'docker pull browser'],
  ],
  ['an engine that has not answered', { status: 'unknown', engine: null }, ['not answered yet']],
  ['Python tools that are processes', { python_tools: 'subprocess' }, ['no security boundary']],
])('%s is told in words', async (_title, state, words) => {
  await expectWords(state, words);
});
