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

test('the form of a stored credential names the workflows that a change is for', async () => {
  vi.stubGlobal('fetch', async (input: RequestInfo | URL) => {
    const uses = [{ workflow_id: 'w1', workflow_name: 'Daily report' }];
    return Response.json(String(input).endsWith('/api/credentials/c1/used-by') ? uses : []);
  });
  const stored: Partial<Credential> = {
    id: 'c1',
    name: 'cache',
    type: 'redis',
    public_fields: {},
    withheld_fields: [],
    sign_in: null,
    is_shared: false,
  };
  await showInEditor(
    { nodes: [], edges: [] },
    <CredentialDialog credential={stored as Credential} onClose={vi.fn()} />,
  );
  expect(await screen.findByText('One workflow uses it:', {}, { timeout: 15_000 })).toBeTruthy();
  const link = screen.getByRole('link', { name: 'Daily report' });
  expect(link.getAttribute('href')).toBe('/workflows/w1');
});
