import { NodeFailure } from '@millrace/engine';
import { expect, test } from 'vitest';
import { pythonJob } from '../../ports/sandbox.conformance.ts';
import { openParsers } from '../parsing/parsers.ts';
import { newMarker, readOutcome } from './job.ts';

const parsers = openParsers();
const job = pythonJob('def main(p):\n  return 1');

/** The outcome of an answer with this result. */
function outcomeWith(result: string) {
  const marker = newMarker();
  const ended = { why: 'exited', exit_code: 0, result: `${marker}{"result":${result}}`, logs: '' } as const;
  return readOutcome(parsers, job, { ended, marker });
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test('a result keeps all digits and all keys', async () => {
  const result = '{"id":9007199254740993,"constructor":1,"__proto__":{"a":2}}';
  expect(JSON.stringify((await outcomeWith(result))?.result)).toBe(
    '{"id":"9007199254740993","constructor":1,"__proto__":{"a":2}}',
  );
});

test('a result that later steps could not walk through is refused', async () => {
  expect((await outcomeWith(nested(900)))?.result).toHaveLength(1);
  const error: unknown = await outcomeWith(nested(1_000)).catch((thrown: unknown) => thrown);
  expect(error instanceof NodeFailure && error.failure).toMatchObject({
    kind: 'thrown',
    message: 'What main returned is not JSON of at most 1000 levels',
  });
});
