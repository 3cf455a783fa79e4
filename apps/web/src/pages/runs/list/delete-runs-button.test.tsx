import type { HistoryList } from '@millrace/contracts';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { showAtPath } from '../../../features/testing/show-at-path.tsx';
import { ConfirmHost } from '../../../ui/overlays/confirm-host.tsx';
import type { Toast } from '../../../ui/overlays/toast.ts';
import { listenToToasts } from '../../../ui/testing/listen-to-toasts.ts';
import { DeleteRunsButton } from './delete-runs-button.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const SHOWN: HistoryList = {
  total: 3,
  total_is_capped: false,
  items: [],
  next_before: null,
  not_searched: [],
};

test('what is deleted is what the filters show, and the question says how many', async () => {
  const deletions: string[] = [];
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) => {
    if (init?.method === 'DELETE') deletions.push(String(input));
    return Promise.resolve(new Response(null, { status: 204 }));
  });
  const said: Toast[] = [];
  const stop = listenToToasts((toast) => said.push(toast));
  const part = (
    <>
      <DeleteRunsButton list={SHOWN} />
      <ConfirmHost />
    </>
  );
  await showAtPath({ path: '/runs', address: '/runs?status=error&q=timeout' }, part);
  const button = await screen.findByRole('button', { name: 'Delete the finished runs shown' });
  await act(async () => fireEvent.click(button));
  const question = await screen.findByRole('dialog');
  expect(question.textContent).toContain('3 runs match the filters; other runs are kept.');
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Delete runs' })));
  await vi.waitFor(() => expect(said.map(({ text }) => text)).toEqual(['Finished runs deleted']));
  stop();
  const [url = ''] = deletions;
  expect(Object.fromEntries(new URL(url, 'http://localhost').searchParams)).toEqual({
    status: 'error',
    search: 'timeout',
  });
});
