import { DrizzleQueryError } from 'drizzle-orm/errors';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';

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
