import type { Credential } from '@millrace/contracts';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { showInEditor } from '../../editor/testing/show-in-editor.tsx';
import { CredentialSignIn } from './credential-sign-in.tsx';

const CREDENTIAL = {
  id: 'c1',
  name: 'runner',
  type: 'codex',
  sign_in: 'missing',
  public_fields: {},
} as Credential;
const BACK = 'http://localhost:1455/auth/callback?code=1&state=2';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Answers of the server by the end of their address; what it was sent is in the result. */
function serve(answers: Readonly<Record<string, () => Response>>): Request[] {
  const sent: Request[] = [];
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(new URL(String(input), 'http://localhost'), init);
    sent.push(request);
    const [, answer] = Object.entries(answers).find(([end]) => request.url.endsWith(end)) ?? [];
    return Promise.resolve(answer?.() ?? Response.json([]));
  });
  return sent;
}

async function connect(needs_address: boolean, finish = () => Response.json(CREDENTIAL)) {
  const opened = { location: { href: '' }, close: vi.fn() };
  vi.spyOn(window, 'open').mockReturnValue(opened as unknown as Window);
  const auth_url = 'https://auth.example/authorize';
  const sent = serve({
    '/oauth/authorize': () => Response.json({ auth_url, state: 's', needs_address }),
    '/oauth/callback': finish,
  });
  await showInEditor({ nodes: [], edges: [] }, <CredentialSignIn credential={CREDENTIAL} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Connect' }));
  await vi.waitFor(() => expect(opened.location.href).toBe(auth_url));
  return sent;
}

test('a sign-in that ends elsewhere asks for the address there', async () => {
  const sent = await connect(true);
  const field = await screen.findByLabelText(/^Address at which the sign-in of “runner” ended/);
  const finish = screen.getByRole<HTMLButtonElement>('button', { name: 'Finish' });
  expect(finish.disabled).toBe(true);
  fireEvent.change(field, { target: { value: BACK } });
  fireEvent.keyDown(field, { key: 'Enter' });
  await vi.waitFor(() => expect(screen.queryByRole('button', { name: 'Finish' })).toBeNull());
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Connect' }));
  const last = sent.find(({ url }) => url.endsWith('/api/credentials/codex/oauth/callback'));
  expect(await last?.json()).toEqual({ address: BACK });
});

test('what is wrong with the address stands at the field', async () => {
  const detail = 'This sign-in has expired';
  await connect(true, () => Response.json({ detail, code: 'bad_request', request_id: 'r' }, { status: 400 }));
  const field = await screen.findByLabelText(/^Address at which/);
  fireEvent.change(field, { target: { value: BACK } });
  fireEvent.click(screen.getByRole('button', { name: 'Finish' }));
  await screen.findByText(detail);
  expect(field.getAttribute('aria-invalid')).toBe('true');
});

test('a sign-in that comes back here asks for nothing', async () => {
  await connect(false);
  await screen.findByText('Waiting for the sign-in in the other window…');
  expect(screen.queryByRole('button', { name: 'Finish' })).toBeNull();
});
