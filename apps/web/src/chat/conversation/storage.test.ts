import { expect, it } from 'vitest';
import {
  forgetVisitor,
  readPlace,
  readSession,
  readVisitorToken,
  type Store,
  writePlace,
  writeSession,
  writeVisitorToken,
} from './storage.ts';

/** Holds so many characters and refuses more, as browsers do. */
function createStore(room = Number.POSITIVE_INFINITY): Store {
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

const place = { conversation_id: 'c', unsent: { text: 'x'.repeat(100) } };

it('keeps the place of the person who had it', () => {
  const store = createStore();
  writePlace(store, 'help', { username: 'ada', place });
  expect(readPlace(store, 'help', 'ada')).toMatchObject(place);
  expect(readPlace(store, 'help', 'grace')).toEqual({});
  expect(readPlace(store, 'other', 'ada')).toEqual({});
  writePlace(store, 'help', { username: 'ada', place: {} });
  expect(readPlace(store, 'help', 'ada')).toEqual({});
});

it('leaves out an unsent message that does not fit, and works without storage', () => {
  const store = createStore(100);
  writePlace(store, 'help', { username: '', place });
  expect(readPlace(store, 'help', '')).toMatchObject({ conversation_id: 'c' });
  expect(readPlace(store, 'help', '').unsent).toBeUndefined();
  expect(() => writePlace(undefined, 'help', { username: '', place })).not.toThrow();
  expect(readPlace(undefined, 'help', '')).toEqual({});
});

it('forgets what leads to the conversations of a visitor', () => {
  const store = createStore();
  writePlace(store, 'help', { username: '', place });
  writeVisitorToken(store, 'help', 'secret');
  expect(readVisitorToken(store, 'help')).toBe('secret');
  forgetVisitor(store, 'help');
  expect(readVisitorToken(store, 'help')).toBeUndefined();
  expect(readPlace(store, 'help', '')).toEqual({});
});

it('§5.5 forgets a session that is over', () => {
  const store = createStore();
  const session = { token: 't', username: 'ada', expires_at: '2026-01-08T00:00:00.000Z' };
  writeSession(store, 'help', session);
  expect(readSession(store, 'help', Date.parse('2026-01-07T23:59:59Z'))).toEqual(session);
  expect(readSession(store, 'help', Date.parse('2026-01-08T00:00:00Z'))).toBeUndefined();
});
