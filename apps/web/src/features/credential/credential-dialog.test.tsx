import type { Credential } from '@millrace/contracts';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { showInEditor } from '../../editor/testing/show-in-editor.tsx';
import { CredentialDialog } from './credential-dialog.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('what the server says of a field in a test stands at the field', async () => {
  const detail = [
    { loc: ['body', 'config', 'redis_host'], msg: 'Enter the name of a host', type: 'invalid' },
  ];
  await showInEditor({ nodes: [], edges: [] }, <CredentialDialog accepted={['redis']} onClose={vi.fn()} />);
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ detail, code: 'invalid_input', request_id: 'r' }, { status: 422 })),
  );
  const host = await screen.findByLabelText<HTMLInputElement>(/^Host/);
  fireEvent.change(host, { target: { value: 'not a host' } });
  fireEvent.click(screen.getByRole('button', { name: 'Test connection' }));
  await vi.waitFor(() => expect(host.getAttribute('aria-invalid')).toBe('true'));
  expect(screen.getByText('Enter the name of a host')).toBeTruthy();
});

const STORED: Partial<Credential> = {
  id: 'c1',
  name: 'cache',
  type: 'redis',
  public_fields: {},
  withheld_fields: [],
  sign_in: null,
  is_shared: false,
};

function showStored(answerUses: () => Response) {
  vi.stubGlobal('fetch', async (input: RequestInfo | URL) =>
    String(input).endsWith('/api/credentials/c1/used-by') ? answerUses() : Response.json([]),
  );
  return showInEditor(
    { nodes: [], edges: [] },
    <CredentialDialog credential={STORED as Credential} onClose={vi.fn()} />,
  );
}

test('the form of a stored credential says where it is used', async () => {
  const items = [
    { kind: 'workflow', id: 'w1', name: 'Daily report' },
    { kind: 'model_router', id: 'r1', name: 'Cheap first' },
  ];
  await showStored(() => Response.json({ items, hidden_count: 2, has_more: true }));
  expect(await screen.findByText('Used in 2 places:', {}, { timeout: 15_000 })).toBeTruthy();
  const link = screen.getByRole('link', { name: 'Daily report' });
  expect(link.getAttribute('href')).toBe('/workflows/w1');
  expect(screen.getByText('(model router)')).toBeTruthy();
  expect(screen.getByText('Other people use it in 2 places that you cannot see.')).toBeTruthy();
  expect(screen.getByText(/There may be more/)).toBeTruthy();
});

test('the form says when it is not known where the credential is used', async () => {
  const refusal = { detail: 'away', code: 'unavailable', request_id: 'r' };
  await showStored(() => Response.json(refusal, { status: 503 }));
  const words = 'Where it is used could not be determined.';
  expect(await screen.findByText(words, {}, { timeout: 15_000 })).toBeTruthy();
});
