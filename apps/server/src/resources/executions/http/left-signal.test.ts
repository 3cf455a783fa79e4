import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import { leftSignal } from './left-signal.ts';

/** Of a reply, what the signal uses. */
const createReply = (raw: EventEmitter & { destroyed: boolean }) => ({ raw }) as unknown as FastifyReply;

test('a call that looks often waits for one close of its connection', () => {
  const raw = Object.assign(new EventEmitter(), { destroyed: false });
  const left = leftSignal(createReply(raw));
  const first = left();
  for (let looks = 0; looks < 20; looks++) expect(left()).toBe(first);
  expect(raw.listenerCount('close')).toBe(1);
  raw.emit('close');
  expect(first.aborted).toBe(true);
});

test('a connection that is closed already counts as left', () => {
  const raw = Object.assign(new EventEmitter(), { destroyed: true });
  expect(leftSignal(createReply(raw))().aborted).toBe(true);
});
