import type { CredentialUses } from '@millrace/contracts';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { showInEditor } from '../../editor/testing/show-in-editor.tsx';
import { usePreferences } from '../../session/preferences.ts';
import { CredentialUsesText } from './credential-uses.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  usePreferences.getState().change({ locale: 'en' });
});

const NAMES = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L'];
const PATIENCE = { timeout: 15_000 };

function buildUses(names: readonly string[], hidden_count = 0): CredentialUses {
  const items = names.map((name) => ({ kind: 'workflow' as const, id: name, name }));
  return { items, hidden_count, has_more: false };
}

async function showText(answer: () => Promise<Response>) {
  vi.stubGlobal('fetch', (input: RequestInfo | URL) =>
    String(input).endsWith('/api/credentials/c1/used-by') ? answer() : Promise.resolve(Response.json([])),
  );
  await showInEditor(
    { nodes: [], edges: [] },
    <p data-testid="uses">
      <CredentialUsesText id="c1" />
    </p>,
  );
  return screen.findByTestId('uses', {}, PATIENCE);
}

test.each([
  ['en', buildUses(['A']), 'It is used in “A”.'],
  [
    'en',
    buildUses(['A', 'B'], 1),
    'It is used in “A” and “B”. Another person uses it in one place that you cannot see.',
  ],
  ['de', buildUses(['A', 'B']), 'Genutzt in „A“ und „B“.'],
  [
    'de',
    buildUses(NAMES),
    'Genutzt in „A“, „B“, „C“, „D“, „E“, „F“, „G“, „H“, „I“, „J“ und 2 weiteren Stellen.',
  ],
  ['en', buildUses([]), ''],
] as const)('uses are listed as the language does: %s', async (locale, uses, text) => {
  usePreferences.getState().change({ locale });
  const shown = await showText(() => Promise.resolve(Response.json(uses)));
  await waitFor(() => expect(shown.textContent).toBe(text), PATIENCE);
});

test('says that it is looking until the answer arrives', async () => {
  let arrive: (answer: Response) => void = () => undefined;
  const shown = await showText(() => new Promise((resolve) => (arrive = resolve)));
  expect(shown.textContent).toBe('Looking for where it is used…');
  arrive(Response.json(buildUses(['A'])));
  await waitFor(() => expect(shown.textContent).toBe('It is used in “A”.'), PATIENCE);
});

test('says when the uses are not known', async () => {
  const refusal = { detail: 'away', code: 'unavailable', request_id: 'r' };
  const shown = await showText(() => Promise.resolve(Response.json(refusal, { status: 503 })));
  await waitFor(() => expect(shown.textContent).toBe('Where it is used could not be determined.'), PATIENCE);
});
