import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fetchWithProgress } from './fetch-with-progress.ts';

/** The older kind of request, as far as it is used; a test plays the server. */
class FakeRequest extends EventTarget {
  static readonly HEADERS_RECEIVED = 2;
  static last: FakeRequest;
  readonly upload = new EventTarget();
  readonly sent: unknown[] = [];
  readyState = 0;
  status = 0;
  responseText = '';
  isAborted = false;
  constructor() {
    super();
    FakeRequest.last = this;
  }
  open(...how: unknown[]) {
    this.sent.push(how);
  }
  setRequestHeader(...header: unknown[]) {
    this.sent.push(header);
  }
  send(body: string) {
    this.sent.push(body.length);
  }
  getAllResponseHeaders = () => 'x-execution-id: run-1\r\ncontent-type: text/event-stream\r\n';
  abort() {
    this.isAborted = true;
    this.tell('abort');
  }
  tell(type: string) {
    this.dispatchEvent(new Event(type));
  }
  answer(status: number) {
    Object.assign(this, { status, readyState: FakeRequest.HEADERS_RECEIVED });
    this.tell('readystatechange');
  }
  write(text: string) {
    this.responseText += text;
    this.tell('progress');
  }
}

const LARGE = 'x'.repeat(300_000);
const post = (body: string) => ({ method: 'POST', body, headers: { 'content-type': 'application/json' } });

beforeEach(() => vi.stubGlobal('XMLHttpRequest', FakeRequest));
afterEach(() => vi.unstubAllGlobals());

it('reports how much of a large body has been sent, and reads the answer as it arrives', async () => {
  const shares: number[] = [];
  const opened = fetchWithProgress((share) => shares.push(share))('/run', post(LARGE));
  const request = FakeRequest.last;
  expect(request.sent).toEqual([['POST', '/run'], ['content-type', 'application/json'], 300_000]);
  for (const loaded of [75_000, 300_000])
    request.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded, total: 300_000 }));
  expect(shares).toEqual([0.25, 1]);

  request.answer(200);
  const response = await opened;
  expect(response.headers.get('x-execution-id')).toBe('run-1');
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (const text of ['data: ä\n', 'data: b\n']) {
    request.write(text);
    expect((await reader?.read())?.value).toBe(text);
  }
  request.tell('load');
  expect((await reader?.read())?.done).toBe(true);
});

it('fails as fetch does when the line breaks, before the answer and within it', async () => {
  const send = fetchWithProgress(() => undefined);
  const unsent = send('/run', post(LARGE));
  FakeRequest.last.tell('error');
  await expect(unsent).rejects.toBeInstanceOf(TypeError);
  const opened = send('/run', post(LARGE));
  FakeRequest.last.answer(200);
  const text = (await opened).text();
  FakeRequest.last.tell('error');
  await expect(text).rejects.toBeInstanceOf(TypeError);
});

it('sends nothing that was given up, and stops sending what is given up', async () => {
  const send = fetchWithProgress(() => undefined);
  const abort = new AbortController();
  const given = send('/run', { ...post(LARGE), signal: abort.signal });
  abort.abort();
  await expect(given).rejects.toBeInstanceOf(Error);
  const request = FakeRequest.last;
  expect(request.isAborted).toBe(true);
  await expect(send('/run', { ...post(LARGE), signal: abort.signal })).rejects.toThrow(/abort/);
  expect(FakeRequest.last).toBe(request);
});

it('leaves small bodies to fetch', async () => {
  const fetched = vi.fn(async () => new Response('ok'));
  vi.stubGlobal('fetch', fetched);
  await fetchWithProgress(() => undefined)('/run', post('{}'));
  expect(fetched).toHaveBeenCalledWith('/run', post('{}'));
});
