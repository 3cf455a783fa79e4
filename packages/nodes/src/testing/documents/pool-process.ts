// Tasks of the processes in tests of the pool.
import { NodeFailure } from '@millrace/engine';
import { serveParsers } from '../../kit/parsing/serve.ts';

let [at_once, most_at_once] = [0, 0];

export const TABLE = {
  pid: () => process.pid,
  async pause(ms: number) {
    most_at_once = Math.max(most_at_once, ++at_once);
    await new Promise((resolve) => setTimeout(resolve, ms));
    at_once -= 1;
    return process.pid;
  },
  most_at_once: () => most_at_once,
  reversed: (bytes: Uint8Array) => bytes.toReversed(),
  same: (value: object) => value,
  refuse() {
    throw new NodeFailure({ kind: 'params', field: 'source', message: 'is no note', final: true });
  },
  fail() {
    throw new Error('a defect');
  },
  uncloneable: () => () => undefined,
  spin() {
    for (;;);
  },
  fill() {
    const kept: object[] = [];
    for (;;) kept.push({ at: kept.length });
  },
  /** Compiles regular expressions at the end of the stack, which crashes V8. */
  dive() {
    let count = 0;
    const dive = (): void => {
      try {
        dive();
      } catch (error) {
        if (++count > 3_000) throw error;
      }
      new RegExp(`(?:a|b${count}[^x]{2,3}|${'(c|d)*'.repeat(20)})+$`, 'u').exec('abcabc');
    };
    dive();
  },
  exit: () => process.exit(3),
};

serveParsers(TABLE);
