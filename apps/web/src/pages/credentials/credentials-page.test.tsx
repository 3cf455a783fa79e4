import type { Credential } from '@millrace/contracts';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { showAtPath } from '../../features/testing/show-at-path.tsx';
import { ConfirmHost } from '../../ui/overlays/confirm-host.tsx';
import { CredentialsPage } from './credentials-page.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const PATIENCE = { timeout: 15_000 };
const stored: Credential = {
  id: '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a11',
  name: 'CRM',
  type: 'bearer',
  masked_value: '••••',
  header_key: null,
  readable: true,
  sign_in: null,
  public_fields: {},
  withheld_fields: [],
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  is_shared: false,
  shared_by: null,
  shared_by_team: null,
};

const showPage = () =>
  showAtPath(
    { path: '/credentials' },
    <>
      <CredentialsPage />
      <ConfirmHost />
    </>,
  );

test('the question before a deletion is there at once, and names the uses when they arrive', async () => {
  let arrive: (answer: Response) => void = () => undefined;
  vi.stubGlobal('fetch', (input: RequestInfo | URL) => {
    const path = String(input);
    if (path.endsWith('/used-by')) return new Promise<Response>((resolve) => (arrive = resolve));
    return Promise.resolve(Response.json(path.endsWith('/api/credentials') ? [stored] : []));
  });
  await showPage();
  const button = await screen.findByRole('button', { name: 'Actions for CRM' }, PATIENCE);
  await act(async () => fireEvent.keyDown(button, { key: 'Enter' }));
  const item = await screen.findByRole('menuitem', { name: 'Delete' });
  await act(async () => fireEvent.click(item));
  const question = await screen.findByRole('dialog', { name: /CRM/ });
  expect(question.textContent).toContain('Looking for where it is used…');
  const items = [{ kind: 'workflow', id: 'w', name: 'Daily report' }];
  await act(async () => arrive(Response.json({ items, hidden_count: 0, has_more: false })));
  await vi.waitFor(() => expect(question.textContent).toContain('It is used in “Daily report”.'));
});

test('a credential of another person opens with who shares it and what it is for', async () => {
  const shared = { ...stored, is_shared: true, shared_by: 'carl@example.com' };
  vi.stubGlobal('fetch', (input: RequestInfo | URL) =>
    Promise.resolve(Response.json(String(input).endsWith('/api/credentials') ? [shared] : [])),
  );
  await showAtPath({ path: '/credentials' }, <CredentialsPage />);
  const name = await screen.findByRole('button', { name: 'CRM' }, PATIENCE);
  await act(async () => fireEvent.click(name));
  const dialog = await screen.findByRole('dialog', { name: 'CRM' });
  expect(dialog.textContent).toContain('Shared by carl@example.com. You can choose it in nodes');
});
