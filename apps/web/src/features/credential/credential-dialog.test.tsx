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
