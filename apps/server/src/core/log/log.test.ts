import { DrizzleQueryError } from 'drizzle-orm/errors';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { chooseLogFormat, createLog } from './log.ts';
import { textLines } from './log-text.ts';

test('a failed statement is logged without its parameters', () => {
  const lines: string[] = [];
  const log = pino(
    { serializers: createLog('info')[pino.symbols.serializersSym as never] },
    { write: (line: string) => void lines.push(line) },
  );
  log.error(
    {
      err: new DrizzleQueryError(
        'insert into x values ($1)',
        ['top-secret-value'],
        new Error('duplicate key'),
      ),
    },
    'failed',
  );
  expect(lines[0]).toContain('insert into x');
  expect(lines[0]).not.toContain('top-secret-value');
});

test('people read text and machines JSON, unless a setting says otherwise', () => {
  const service = { isTerminal: false, npmScript: undefined };
  expect(chooseLogFormat('auto', service)).toBe('json');
  expect(chooseLogFormat('auto', { ...service, npmScript: 'test' })).toBe('json');
  expect(chooseLogFormat('auto', { ...service, npmScript: 'start' })).toBe('text');
  expect(chooseLogFormat('auto', { ...service, isTerminal: true })).toBe('text');
  expect(chooseLogFormat('text', service)).toBe('text');
  expect(chooseLogFormat('json', { isTerminal: true, npmScript: 'start' })).toBe('json');
});

test('a line of text has the time, the message and its circumstances, and keeps secrets of statements', () => {
  let text = '';
  const log = createLog(
    'info',
    textLines((line) => (text += line)),
  );
  log.info({ address: 'http://127.0.0.1:4600', runs: 2 }, 'millrace is serving');
  expect(text).toMatch(
    /^\d\d:\d\d:\d\d millrace is serving {2}address: http:\/\/127.0.0.1:4600 {2}runs: 2\n$/,
  );
  text = '';
  const cause = new Error('duplicate key');
  log.warn(
    { err: new DrizzleQueryError('insert into x values ($1)', ['top-secret-value'], cause) },
    'failed',
  );
  expect(text).toMatch(/^\S+ WARN failed\n/);
  expect(text).toContain('insert into x');
  expect(text).not.toContain('top-secret-value');
  expect(text).toContain('log.test.ts');
});
