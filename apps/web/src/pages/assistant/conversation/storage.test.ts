import { beforeEach, expect, it, vi } from 'vitest';
import type { Message } from './message.ts';
import { type Chat, keep, readKept } from './storage.ts';

const NONE = new Set<string>();
const said = (text: string): Message => ({ role: 'user', id: text, text, attachment: null });
const chat = (id: string, day: number): Chat => ({
  id,
  messages: [said(id)],
  updated_at: `2026-11-${String(day).padStart(2, '0')}T00:00:00.000Z`,
});
const kept = () => readKept('ada').chats.map(({ id }) => id);

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
});

it('keeps the newest chats that hold something', () => {
  const many = Array.from({ length: 25 }, (_, at) => chat(`c${at + 1}`, at + 1));
  keep('ada', { chats: [...many, { ...chat('empty', 28), messages: [] }], choice: null, removed: NONE });
  expect(kept()).toHaveLength(20);
  expect(kept()[0]).toBe('c25');
});

it('leaves the chats of another tab, and does not bring back what was deleted here', () => {
  keep('ada', { chats: [chat('here', 1)], choice: null, removed: NONE });
  keep('ada', { chats: [chat('there', 2)], choice: null, removed: NONE });
  expect(kept()).toEqual(['there', 'here']);
  keep('ada', { chats: [], choice: null, removed: new Set(['here']) });
  expect(kept()).toEqual(['there']);
});
