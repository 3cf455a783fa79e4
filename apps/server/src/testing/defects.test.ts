import { expect, test } from 'vitest';
import { createLog } from '../core/log/log.ts';
import { findDefects, requireNoDefects } from './defects.ts';

/** The lines that the log of the service writes for these calls. */
function logged(write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  write(createLog('info', { write: (line) => void lines.push(line) }));
  return lines;
}

test.each(['node crashed', 'run crashed', 'request failed'])(
  'a log that says "%s" has a defect',
  (message) => {
    const lines = logged((log) => log.error({ err: new Error('why') }, message));
    expect(findDefects(lines)).toEqual(lines);
    expect(() => requireNoDefects(lines)).toThrow(message);
  },
);

test('what a source or a user has done wrong is none, nor is a line that is no entry', () => {
  const lines = logged((log) => log.warn({ err: new Error('refused') }, 'a source could not be read'));
  expect(findDefects([...lines, 'node crashed', 'null'])).toEqual([]);
  expect(() => requireNoDefects(lines)).not.toThrow();
});
