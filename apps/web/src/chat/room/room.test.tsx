/** @jsxImportSource preact */
import type { PortalInfo, PortalTurn } from '@millrace/contracts';
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { toMessages } from '../conversation/stored.ts';
import { Room } from './room.tsx';

const INFO: PortalInfo = {
  workflow_name: 'Help',
  workflow_description: '',
  requires_auth: false,
  stream_enabled: false,
  file_upload_enabled: false,
  file_config: {},
  input_fields: [{ key: 'text', defaultValue: null }],
  appearance: {
    welcome_text: '',
    suggestions: [],
    accent_color: null,
    logo: null,
    progress: 'hidden',
    reviews_in_chat: false,
  },
};

const createTurn = (conversation: string): PortalTurn => ({
  execution_id: `run-of-${conversation}`,
  created_at: '2026-01-08T00:00:00.000Z',
  inputs: { text: `Question of ${conversation}` },
  status: 'running',
  outputs: null,
  execution_time_ms: null,
});

const later = () => new Promise<Response>(() => undefined);

async function answer(address: string): Promise<Response> {
  if (address.endsWith('/cancel')) return later();
  const [, id] = /conversations\/(\w+)$/.exec(address) ?? [];
  if (id !== undefined) return Response.json({ id, turns: [createTurn(id)] });
  return Response.json({
    items: [{ id: 'two', title: 'The other one', updated_at: '2026-01-08T00:00:00.000Z' }],
  });
}

const button = (name: string) =>
  vi.waitFor(() => {
    const found = [...document.querySelectorAll('button')].find((one) =>
      (one.getAttribute('aria-label') ?? one.textContent ?? '').includes(name),
    );
    if (!found) throw new Error(`there is no button ${name}`);
    return found;
  });
const press = async (name: string) => {
  const found = await button(name);
  await act(() => found.click());
};

beforeEach(() => {
  vi.stubGlobal('fetch', answer);
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  // jsdom shows no dialogs.
  HTMLDialogElement.prototype.showModal ??= () => undefined;
  HTMLDialogElement.prototype.close ??= () => undefined;
});
afterEach(() => {
  render(null, document.body);
  vi.unstubAllGlobals();
});

it('can stop the answer of a conversation that was opened while another was being stopped', async () => {
  const opened = { id: 'one', messages: toMessages([createTurn('one')]) };
  const door = { slug: 'help', visitor_token: 'secret' };
  await act(() =>
    render(
      <Room door={door} info={INFO} username={undefined} opened={opened} onSignOut={() => undefined} />,
      document.body,
    ),
  );
  await press('Stop');
  expect((await button('Stopping')).disabled).toBe(true);
  await press('Past conversations');
  await press('The other one');
  await vi.waitFor(() => expect(document.body.textContent).toContain('Question of two'));
  expect((await button('Stop')).disabled).toBe(false);
});
