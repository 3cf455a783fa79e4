import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { awaitedServer, loadCode } from './load-code.ts';

const gone = new TypeError('Failed to fetch dynamically imported module: /assets/page.js');
const fetched = vi.fn<typeof fetch>();

beforeEach(() => {
  vi.useFakeTimers();
  fetched.mockReset();
  vi.stubGlobal('fetch', fetched);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
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

test('a server that is gone once more is awaited once more', async () => {
  const isUp = [false, true, false, true];
  fetched.mockImplementation(async () => {
    if (isUp.shift() !== true) throw new TypeError('Failed to fetch');
    return new Response();
  });
  const load = vi.fn(async () => {
    if (load.mock.calls.length < 3) throw gone;
    return 'page';
  });
  const part = loadCode(load);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await part).toBe('page');
});

test('a proxy that leads to its sign-in is a server, so that the page can be loaded again and lead there', async () => {
  fetched.mockImplementation(async (_, init) => {
    // As a browser does with a redirect to another origin.
    if (init?.redirect !== 'manual') throw new TypeError('Failed to fetch');
    return { ok: false, status: 0, type: 'opaqueredirect' } as Response;
  });
  await expect(loadCode(() => Promise.reject(gone))).rejects.toBe(gone);
});

test('a server that takes the connection and never answers is no server', async () => {
  const signal = AbortSignal.abort();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(signal);
  fetched.mockImplementationOnce((_, init) =>
    init?.signal === signal ? Promise.reject(signal.reason) : new Promise(() => undefined),
  );
  fetched.mockResolvedValue(new Response());
  const part = loadCode(vi.fn(async () => 'page').mockRejectedValueOnce(gone));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await part).toBe('page');
});

test('the style sheet of a part that waited loads before the part appears', async () => {
  const link = document.head.appendChild(document.createElement('link'));
  link.rel = 'stylesheet';
  link.dataset['of'] = 'page';
  const findSheet = () => document.querySelector('link[data-of=page]');
  fetched.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  fetched.mockResolvedValue(new Response());
  const load = vi
    .fn(async () => 'page')
    .mockImplementationOnce(async () => {
      link.dispatchEvent(new Event('error'));
      throw gone;
    });
  const part = loadCode(load);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(load).toHaveBeenCalledOnce();
  expect(findSheet()).not.toBe(link);
  findSheet()?.dispatchEvent(new Event('load'));
  expect(await part).toBe('page');
  expect(document.querySelectorAll('link[data-of=page]')).toHaveLength(1);
});

test('a part that a server which answers lacks is an error', async () => {
  fetched.mockResolvedValue(new Response());
  await expect(loadCode(() => Promise.reject(gone))).rejects.toBe(gone);
});
