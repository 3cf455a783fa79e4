import { expect, test } from 'vitest';
import { isConnectionLoss, noteConnectionError } from './connection-loss.ts';

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code });

test.each([
  coded('ECONNREFUSED'),
  coded('57P01', 'terminating connection due to administrator command'),
  coded('57P03', 'the database system is starting up'),
  coded('08006'),
  new Error('Connection terminated unexpectedly'),
  new Error('timeout exceeded when trying to connect'),
  new Error('Failed query: select 1', { cause: coded('ECONNRESET') }),
])('%s is one', (error) => {
  noteConnectionError(error.cause ?? error);
  expect(isConnectionLoss(error)).toBe(true);
});

test.each([
  coded('23505'),
  coded('57014', 'canceling statement due to statement timeout'),
  new TypeError('x'),
  'ECONNREFUSED',
  undefined,
])('%s is none', (error) => {
  expect(isConnectionLoss(noteConnectionError(error))).toBe(false);
});

test('none is what another server than the database refuses', () => {
  expect(isConnectionLoss(coded('ECONNREFUSED'))).toBe(false);
});
