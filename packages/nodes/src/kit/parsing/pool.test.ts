import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { NodeFailure } from '@millrace/engine';
import { afterEach, describe, expect, test } from 'vitest';
import { bundleProgram } from '../../../../../tools/test/bundle-program.ts';
import { startBundled } from '../../testing/documents/test-parsers.ts';
import { createParserPool, type ParserPool, type PoolLimits } from './pool.ts';

const LIMITS: PoolLimits = { processes: 2, time_ms: 400, idle_ms: 10_000, waiting: 10 };

type Table = typeof import('../../testing/documents/pool-process.ts').TABLE;

const program = await bundleProgram(
  fileURLToPath(new URL('../../testing/documents/pool-process.ts', import.meta.url)),
);
let started = 0;
const open: ParserPool<Table>[] = [];

function poolWith(limits: Partial<PoolLimits> = {}) {
  const pool = createParserPool<Table>(
    () => {
      started += 1;
      return startBundled(program, 64);
    },
    { ...LIMITS, ...limits },
  );
  open.push(pool);
  started = 0;
  return pool;
}

afterEach(async () => {
  for (const pool of open.splice(0)) await pool.close();
});

const NOTE = { what: 'The note' };
const catchFailure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof NodeFailure ? error.failure : error),
  );

describe('processes', () => {
  test('start with the first document, are reused, and end when idle', async () => {
    const pool = poolWith({ idle_ms: 200 });
    expect([started, pool.size]).toEqual([0, 0]);
    const first = await pool.run('pid', [], NOTE);
    expect(await pool.run('pid', [], NOTE)).toBe(first);
    expect([started, pool.size]).toEqual([1, 1]);
    await expect.poll(() => pool.size).toBe(0);
    expect(await pool.run('pid', [], NOTE)).not.toBe(first);
  });

  test('never exceed the limit and handle one document at a time', async () => {
    const pool = poolWith();
    const ids = await Promise.all(Array.from({ length: 6 }, () => pool.run('pause', [60], NOTE)));
    expect(started).toBe(2);
    expect(new Set(ids).size).toBe(2);
    expect(await pool.run('most_at_once', [], NOTE)).toBe(1);
  });

  test('pass on bytes and errors unchanged', async () => {
    const pool = poolWith();
    expect(await pool.run('reversed', [new Uint8Array([1, 2, 3])], NOTE)).toEqual(new Uint8Array([3, 2, 1]));
    expect(await catchFailure(pool.run('refuse', [], NOTE))).toEqual({
      kind: 'params',
      field: 'source',
      message: 'is no note',
      final: true,
    });
    await expect(pool.run('fail', [], NOTE)).rejects.toThrow('a defect');
    await expect(pool.run('uncloneable', [], NOTE)).rejects.toThrow('could not be cloned');
    expect(started).toBe(1);
  });
});

test('pass on large values unchanged without blocking the event loop', async () => {
  const pool = poolWith({ time_ms: 20_000 });
  const rows = Array.from({ length: 200_000 }, (_, at) => ({ id: at, name: `row ${at}`, tags: ['a', at] }));
  await pool.run('pid', [], NOTE);
  const gauge = monitorEventLoopDelay({ resolution: 5 });
  gauge.enable();
  const same = await pool.run('same', [{ rows }], NOTE);
  gauge.disable();
  expect(same).toEqual({ rows });
  expect(gauge.max / 1_000_000).toBeLessThan(250);
});

describe('a document that takes', () => {
  test('too much time ends its process and fails with the name of its field, without a retry', async () => {
    const pool = poolWith();
    const slow = catchFailure(pool.run('spin', [], { what: 'The YAML document', field: 'source' }));
    const other = pool.run('pid', [], NOTE);
    expect(await slow).toEqual({
      kind: 'limit',
      field: 'source',
      message: 'The YAML document took longer than 0.4 seconds to read',
      final: true,
    });
    expect(typeof (await other)).toBe('number');
    expect(typeof (await pool.run('pid', [], NOTE))).toBe('number');
  });

  test('too much memory ends its process and no other', async () => {
    const pool = poolWith({ time_ms: 20_000 });
    const other = pool.run('pause', [300], NOTE);
    expect(await catchFailure(pool.run('fill', [], NOTE))).toEqual({
      kind: 'limit',
      message:
        'The note could not be read: it is nested too deeply or needs more memory than one document may use',
      final: true,
    });
    expect(typeof (await other)).toBe('number');
  });

  test('the whole stack ends its process and no other', async () => {
    const pool = poolWith({ time_ms: 20_000 });
    const other = pool.run('pause', [300], NOTE);
    expect(await catchFailure(pool.run('dive', [], NOTE))).toMatchObject({
      kind: 'limit',
      message: expect.stringContaining('nested too deeply'),
      final: true,
    });
    expect(typeof (await other)).toBe('number');
  });

  test('its process down fails, and a retry may work', async () => {
    const pool = poolWith();
    const failure = await catchFailure(pool.run('exit', [], NOTE));
    expect(failure).toEqual({
      kind: 'limit',
      message: 'The note could not be processed: the process for it ended',
    });
    expect(typeof (await pool.run('pid', [], NOTE))).toBe('number');
  });

  test('its time does not include waiting for a process', async () => {
    const pool = poolWith({ processes: 1 });
    const works = Array.from({ length: 5 }, () => pool.run('pause', [200], NOTE));
    expect(new Set(await Promise.all(works)).size).toBe(1);
  });
});

describe('cancelling', () => {
  test('ends the process of the current document and drops a queued one', async () => {
    const pool = poolWith({ processes: 1, time_ms: 20_000 });
    const cancel = new AbortController();
    const running = pool.run('spin', [], { ...NOTE, signal: cancel.signal });
    const waiting = pool.run('spin', [], { ...NOTE, signal: cancel.signal });
    const other = pool.run('pid', [], NOTE);
    const reason = new Error('cancelled');
    setTimeout(() => cancel.abort(reason), 300);
    await expect(running).rejects.toBe(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(typeof (await other)).toBe('number');
    await expect(pool.run('pid', [], { ...NOTE, signal: cancel.signal })).rejects.toBe(reason);
  });

  test('closing the pool stops all work', async () => {
    const pool = poolWith({ processes: 1, time_ms: 20_000 });
    const works = [pool.run('spin', [], NOTE), pool.run('pid', [], NOTE)].map(catchFailure);
    await pool.close();
    for (const work of works) expect(await work).toEqual(new Error('the service stops'));
    expect(pool.size).toBe(0);
  });
});

test('an owner with many documents does not hold up another', async () => {
  const pool = poolWith({ processes: 2 });
  const ends: string[] = [];
  const read = (owner: string) =>
    pool.run('pause', [100], { ...NOTE, owner }).then(() => void ends.push(owner));
  const many = Array.from({ length: 6 }, () => read('many'));
  await Promise.all([...many, read('one')]);
  expect(ends.indexOf('one')).toBeLessThan(4);
});

test('a full queue rejects documents, which can be retried', async () => {
  const pool = poolWith({ processes: 1, waiting: 1 });
  const works = [pool.run('pause', [50], NOTE), pool.run('pause', [50], NOTE)];
  const failure = await catchFailure(pool.run('pid', [], NOTE));
  expect(failure).toMatchObject({ kind: 'limit', message: expect.stringContaining('try again') });
  expect(failure).not.toHaveProperty('final');
  await Promise.all(works);
});
