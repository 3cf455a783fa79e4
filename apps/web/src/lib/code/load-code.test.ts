import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { awaitedServer, loadCode } from './load-code.ts';

const gone = new TypeError('Failed to fetch dynamically imported module: /assets/page.js');
const fetched = vi.fn<() => Promise<Response>>();

beforeEach(() => {
  vi.useFakeTimers();
  fetched.mockReset();
  vi.stubGlobal('fetch', fetched);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a part that is there loads without a look at the server', async () => {
  expect(await loadCode(async () => 'page')).toBe('page');
  expect(fetched).not.toHaveBeenCalled();
});

test('while the server does not answer, parts wait and then load together', async () => {
  let isUp = false;
  fetched.mockImplementation(async () => {
    if (!isUp) throw new TypeError('Failed to fetch');
    return new Response();
  });
  const load = vi.fn(async (name: string) => {
    if (!isUp) throw gone;
    return name;
  });
  const parts = Promise.all([loadCode(() => load('page')), loadCode(() => load('dialog'))]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(load).toHaveBeenCalledTimes(2);
  expect(awaitedServer.getState().isAwaited).toBe(true);
  isUp = true;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await parts).toEqual(['page', 'dialog']);
  expect(awaitedServer.getState().isAwaited).toBe(false);
});

test('a proxy in front of a server that is down is no server', async () => {
  fetched.mockResolvedValueOnce(new Response(null, { status: 502 }));
  fetched.mockResolvedValueOnce(new Response(null, { status: 502 }));
  fetched.mockResolvedValue(new Response());
  let calls = 0;
  const part = loadCode(async () => {
    calls += 1;
    if (calls === 1) throw gone;
    return 'page';
  });
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await part).toBe('page');
});

test('a part that a server which answers lacks is an error', async () => {
  fetched.mockResolvedValue(new Response());
  await expect(loadCode(() => Promise.reject(gone))).rejects.toBe(gone);
});
