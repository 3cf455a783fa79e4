import { expect, it } from 'vitest';
import type { Message } from './message.ts';
import { readConversation, readSession, type Store, writeConversation, writeSession } from './storage.ts';

/** Holds so many characters and refuses more, as browsers do. */
function storeOf(room = Number.POSITIVE_INFINITY): Store {
  const held = new Map<string, string>();
  return {
    getItem: (key) => held.get(key) ?? null,
    setItem(key, value) {
      if (value.length > room) throw new DOMException('full', 'QuotaExceededError');
      held.set(key, value);
    },
    removeItem: (key) => void held.delete(key),
  };
}

const messages: Message[] = Array.from({ length: 40 }, (_, at) => ({
  id: String(at),
  role: 'user',
  inputs: { text: 'x'.repeat(100) },
}));

it('keeps a conversation for the person who had it', () => {
  const store = storeOf();
  writeConversation(store, 'help', { username: 'ada', messages });
  expect(readConversation(store, 'help', 'ada')).toEqual(messages);
  expect(readConversation(store, 'help', 'grace')).toEqual([]);
  expect(readConversation(store, 'other', 'ada')).toEqual([]);
  writeConversation(store, 'help', { username: 'ada', messages: [] });
  expect(readConversation(store, 'help', 'ada')).toEqual([]);
});

it('keeps the newest messages when not all fit, and works without storage', () => {
  const store = storeOf(3_000);
  writeConversation(store, 'help', { username: '', messages });
  const kept = readConversation(store, 'help', '');
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.at(-1)).toEqual(messages.at(-1));
  expect(() => writeConversation(undefined, 'help', { username: '', messages })).not.toThrow();
  expect(readConversation(undefined, 'help', '')).toEqual([]);
});

it('§5.5 forgets a session that is over', () => {
  const store = storeOf();
  const session = { token: 't', username: 'ada', expires_at: '2026-01-08T00:00:00.000Z' };
  writeSession(store, 'help', session);
  expect(readSession(store, 'help', Date.parse('2026-01-07T23:59:59Z'))).toEqual(session);
  expect(readSession(store, 'help', Date.parse('2026-01-08T00:00:00Z'))).toBeUndefined();
});
