import { VISITOR_TOKEN_HEADER } from '@millrace/contracts';
import { afterEach, expect, it, vi } from 'vitest';
import { type Answer, newAnswer } from './message.ts';
import { Thread } from './thread.ts';

const ANSWER: Answer = { ...newAnswer(), id: 'answer' };

function begin(id?: string) {
  const onChange = vi.fn();
  const onVisitorToken = vi.fn();
  const opened = { id, messages: [ANSWER] };
  return {
    thread: new Thread({ door: { slug: 'help' }, opened, onChange, onVisitorToken }),
    onChange,
    onVisitorToken,
  };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it('shows what is followed, and nothing of what was followed before', () => {
  const { thread, onChange } = begin('one');
  const before = thread.follow('answer');
  const now = thread.follow('answer');
  before.change({ text: 'old' });
  expect(before.signal.aborted).toBe(true);
  expect(onChange).not.toHaveBeenCalled();
  now.change(({ text }) => ({ text: `${text}new` }));
  expect(thread.last).toMatchObject({ text: 'new' });
  expect(onChange).toHaveBeenCalledWith({ id: 'one', messages: [{ ...ANSWER, text: 'new' }] });
});

it('follows nothing any more when another conversation is opened, or it is left', () => {
  const { thread } = begin('one');
  const { signal } = thread.follow('answer');
  thread.open({ id: 'two', messages: [] });
  expect(signal.aborted).toBe(true);
  expect([thread.id, thread.messages, thread.signal.aborted]).toEqual(['two', [], false]);
  thread.leave();
  expect(thread.signal.aborted).toBe(true);
});

it('is stored once, as the visitor whom the server then knows, and again after its id is forgotten', async () => {
  let begun = 0;
  vi.stubGlobal('fetch', async () => {
    begun += 1;
    return Response.json({ id: `stored-${begun}`, visitor_token: begun === 1 ? 'secret' : null });
  });
  const { thread, onChange, onVisitorToken } = begin();
  expect([await thread.stored(), await thread.stored()]).toEqual(['stored-1', 'stored-1']);
  expect(thread.door).toEqual({ slug: 'help', visitor_token: 'secret' });
  expect(onChange.mock.calls).toEqual([[{ id: 'stored-1', messages: [ANSWER] }]]);
  thread.forgetId();
  expect(await thread.stored()).toBe('stored-2');
  expect(onVisitorToken.mock.calls).toEqual([['secret']]);
});

it('leaves a conversation as it is that was opened while the one before it was stored', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ id: 'stored', visitor_token: 'secret' }));
  const { thread } = begin();
  const storing = thread.stored();
  thread.open({ id: 'past', messages: [] });
  expect(await storing).toBe('stored');
  expect([thread.id, thread.messages]).toEqual(['past', []]);
  expect(thread.door).toEqual({ slug: 'help', visitor_token: 'secret' });
});

it('begins one conversation after the other, so that they are of one visitor', async () => {
  const senders: (string | null)[] = [];
  const answers: ((response: Response) => void)[] = [];
  vi.stubGlobal('fetch', (_address: string, init: RequestInit) => {
    senders.push(new Headers(init.headers).get(VISITOR_TOKEN_HEADER));
    return new Promise<Response>((resolve) => answers.push(resolve));
  });
  const { thread, onVisitorToken } = begin();
  const first = thread.stored();
  thread.open({ messages: [] });
  const second = thread.stored();
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  answers[0]?.(Response.json({ id: 'one', visitor_token: 'secret' }));
  expect(await first).toBe('one');
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.(Response.json({ id: 'two', visitor_token: null }));
  expect(await second).toBe('two');
  expect(senders).toEqual([null, 'secret']);
  expect(onVisitorToken.mock.calls).toEqual([['secret']]);
  expect(thread.id).toBe('two');
});

it('begins a conversation although the one before it could not be begun, and each only once', async () => {
  let begun = 0;
  vi.stubGlobal('fetch', async () => {
    begun += 1;
    if (begun === 1) throw new TypeError('lost');
    return Response.json({ id: `stored-${begun}`, visitor_token: null });
  });
  const { thread } = begin();
  const [failed, ...others] = await Promise.allSettled([thread.stored(), thread.stored(), thread.stored()]);
  expect(failed.status).toBe('rejected');
  expect(others).toMatchObject([{ value: 'stored-2' }, { value: 'stored-2' }]);
});
