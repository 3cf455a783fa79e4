import { catalog } from '@millrace/nodes/catalog';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { showForm } from '../testing/show-form.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const PATIENCE = { timeout: 15_000 };

/** Shows a Telegram node to a person without credentials. */
async function show(credentialId: string): Promise<void> {
  vi.stubGlobal('fetch', async () => Response.json([]));
  const data = { ...catalog.get('telegram')?.initial, label: 'telegram', credentialId };
  await showForm({ nodes: [{ id: 'n', type: 'telegram', position: { x: 0, y: 0 }, data }], edges: [] });
}

test('the list of credentials offers to make one, also when there is none yet', async () => {
  await show('');
  const list = await screen.findByRole('combobox', { name: 'Credential' }, PATIENCE);
  fireEvent.keyDown(list, { key: 'ArrowDown' });
  const options = await screen.findAllByRole('option');
  expect(options.map((option) => option.textContent)).toEqual(['New credential']);
  expect(screen.queryByRole('button', { name: 'New credential', hidden: true })).toBeNull();
  if (options[0]) fireEvent.keyDown(options[0], { key: 'Enter' });
  expect(await screen.findByRole('dialog', {}, PATIENCE)).toBeTruthy();
});

test('a chosen credential that is deleted is reported, also when it was the last one', async () => {
  await show('c1');
  expect(
    await screen.findByText('The chosen credential is gone or not shared with you', {}, PATIENCE),
  ).toBeTruthy();
});
