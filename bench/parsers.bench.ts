/**
 * How long the event loop is blocked by documents that are slow on purpose, of every kind that the product reads:
 * `npm run bench -- parsers [documents of each kind] [kind]`. Documents are stopped after a second, so that the
 * benchmark ends; the product allows more time.
 */

import { openParsers } from '../apps/server/src/adapters/parsing/parsers.ts';
import { fuzz, HOSTILE_KINDS } from '../apps/server/src/adapters/parsing/testing/loop-delay.ts';
import { printTable } from './support/table.ts';

const COUNT = Number(process.argv[2] ?? 2_000);
const ONLY = process.argv[3];
const MOST_CHARACTERS = 64_000;
const TIME_MS = 1_000;
const AT_ONCE = 8;
const LONGEST_DELAY_MS = 250;

const parsers = openParsers();
const rows: (string | number)[][] = [];
for (const kind of HOSTILE_KINDS.filter((each) => ONLY === undefined || each === ONLY)) {
  const from = performance.now();
  const { delay_ms, read, given_up, refused } = await fuzz(parsers, {
    kind,
    count: COUNT,
    most_characters: MOST_CHARACTERS,
    time_ms: TIME_MS,
    at_once: AT_ONCE,
  });
  const seconds = ((performance.now() - from) / 1_000).toFixed(0);
  rows.push([kind, read, refused, given_up, seconds, delay_ms.toFixed(0)]);
  if (delay_ms > LONGEST_DELAY_MS) process.exitCode = 1;
}
printTable(['kind', 'read', 'no such document', 'given up', 's', 'longest delay ms'], rows);
await parsers.close();
