import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { notFound } from '../../../core/app-error.ts';
import { noteConnectionError } from '../../../database/connection-loss.ts';
import type { Services } from '../../../services.ts';
import { endWhenRevoked } from './revocation.ts';

/** A stream whose reader is asked about once, with this answer. */
async function isOpenAfter(error: Error, subject?: string): Promise<boolean> {
  let isOpen = true;
  const raw = Object.assign(new EventEmitter(), { writableEnded: false, end: () => (isOpen = false) });
  let hint: (changed: string) => void = () => undefined;
  const services = {
    broadcast: {
      subscribe: (_channel: string, receive: typeof hint) => {
        hint = receive;
        return () => undefined;
      },
    },
    changes: { current: () => 1, watch: () => () => undefined },
    log: pino({ level: 'silent' }),
  };
  const stillAllowed = async () => {
    throw error;
  };
  endWhenRevoked(services as unknown as Services, { raw } as unknown as FastifyReply, stillAllowed, subject);
  hint('user:ada');
  await new Promise((resolve) => setImmediate(resolve));
  return isOpen;
}

test('§6.1 a stream ends when its reader may not see the run any more', async () => {
  expect(await isOpenAfter(notFound('Workflow'))).toBe(false);
});

test('a stream that depends on one person is checked on hints about that person alone', async () => {
  expect(await isOpenAfter(notFound('Session'), 'user:bob')).toBe(true);
  expect(await isOpenAfter(notFound('Session'), 'user:ada')).toBe(false);
});

test('§6.1 a stream stays open when the database that would know is away', async () => {
  const refused = noteConnectionError(
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  );
  expect(await isOpenAfter(refused)).toBe(true);
  expect(await isOpenAfter(new Error('Failed query', { cause: refused }))).toBe(true);
});

test('a reader that left before is not asked about, and nothing of it is kept', () => {
  const subscribed: string[] = [];
  const services = {
    broadcast: { subscribe: (subject: string) => void subscribed.push(subject) },
    changes: { watch: () => void subscribed.push('changes') },
  };
  const reply = { raw: Object.assign(new EventEmitter(), { destroyed: true }) };
  endWhenRevoked(services as unknown as Services, reply as unknown as FastifyReply, async () => undefined);
  expect(subscribed).toEqual([]);
});
