import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StepRecord } from '../../model/step.ts';
import { fromStored, type StoredRecord, toStored } from './stored-record.ts';
import { createValueEncoder, decodeValues, INLINE_CHARACTERS, type StoredBlob } from './values.ts';

const place = { node_id: 'n', node_label: 'Node', node_type: 'set', iteration: '1.2' } as const;
const times = { started_at_ms: 1.25, ended_at_ms: 2.5, execution_time_ms: 1.25 } as const;

const finished = (output: unknown, rest: object = {}): StepRecord =>
  ({
    type: 'node_finished',
    ...place,
    ...times,
    status: 'success',
    ports: ['output'],
    sequence: 3,
    attempt: 2,
    output,
    ...rest,
  }) as StepRecord;

const RECORDS: readonly (readonly [string, StepRecord])[] = [
  ['a plain row', finished({ a: 1 })],
  ['a skipped row', finished({}, { status: 'skipped', ports: [] })],
  [
    'a row with everything',
    finished('text', {
      status: 'error',
      failure: { kind: 'timeout', message: 'late' },
      variables: [{ name: 'v', value: 1, is_global: true }],
      disables: ['x'],
      metadata: { m: 1 },
      items: [1, 2],
      frames: [0, 7],
      masked: true,
      answers_early: true,
    }),
  ],
  [
    'a failed attempt',
    {
      type: 'node_retried',
      ...place,
      ...times,
      sequence: 4,
      attempt: 1,
      max_attempts: 3,
      wait_ms: 50,
      failure: { kind: 'upstream', message: 'no' },
    },
  ],
];

test.each(RECORDS)('%s comes back as it was stored (design §5)', (_, record) => {
  const output = record.type === 'node_finished' ? record.output : null;
  const text = JSON.stringify(toStored(record, output));
  expect(fromStored(JSON.parse(text) as StoredRecord)).toEqual(record);
});

async function roundTrip(input: unknown, outputs: readonly unknown[]) {
  const encoder = createValueEncoder();
  const input_text = encoder.encodeInput(input);
  const text = encoder.encodeRecords(outputs.map((output) => finished(output)));
  const blobs = new Map(encoder.takeBlobs().map((blob) => [blob.hash, blob]));
  const [, rows] = await decodeValues([input_text, text], (hashes) =>
    Promise.resolve(hashes.map((hash) => blobs.get(hash) as StoredBlob)),
  );
  const records = (rows as StoredRecord[]).map(fromStored);
  return { text, outputs: records.map((record) => (record as { output?: unknown }).output) };
}

const words = 'a text that is long enough to be worth a reference, in every row that has it';

describe('rows beside the input of their run', () => {
  const rows = [{ id: 1 }, { id: 2 }];
  const input = { headers: { host: 'x' }, query: {}, body: { rows, words, short: 'short' } };

  test('what a row shares with the input is named there instead of being written again', async () => {
    const output = { ...input.body, ...input };
    const stored = await roundTrip(input, [output, input.body, rows, words, { kept: rows }]);
    expect(stored.outputs).toEqual([output, input.body, rows, words, { kept: rows }]);
    expect(stored.text).not.toContain('"id":');
    expect(stored.text).not.toContain(words);
  });

  test('equal values that are not the same one are written out', async () => {
    const { text, outputs } = await roundTrip(input, [{ rows: structuredClone(rows) }]);
    expect(outputs).toEqual([{ rows }]);
    expect(text).toContain('"id":1');
  });

  test('data that looks like a reference stays data', async () => {
    const forged = { $blob: ['headers'] };
    const outputs = [{ forged, rows }, forged, { $blob: rows }, { text: '"$blob"', rows }];
    expect((await roundTrip(input, outputs)).outputs).toEqual(outputs);
    const hostile = { body: { forged, $blob: ['body'] } };
    expect((await roundTrip(hostile, [hostile.body, forged])).outputs).toEqual([hostile.body, forged]);
  });

  test('long rows keep their large values apart', async () => {
    const large = { body: { list: Array.from({ length: INLINE_CHARACTERS }, (_, id) => id), rows } };
    const outputs = [{ ...large.body }, large.body, { rows: large.body.rows }];
    expect((await roundTrip(large, outputs)).outputs).toEqual(outputs);
  });

  test('a reference into an input that has no such part is an error, not a wrong value', async () => {
    const read = () => Promise.resolve([]);
    await expect(decodeValues(['{"body":{}}', '@{"$blob":["body","x"]}'], read)).rejects.toThrow('body.x');
    await expect(decodeValues(['{}', '@{"$blob":["toString"]}'], read)).rejects.toThrow('toString');
  });

  test('rows made of parts of the input are restored, for any input (property)', async () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const anInput = fc.record({ headers: json, query: json, body: fc.dictionary(fc.string(), json) });
    await fc.assert(
      fc.asyncProperty(anInput, json, async (given, other) => {
        const parts = Object.values(given.body);
        const outputs = [{ ...given.body, ...given }, { parts, other }, ...parts, other];
        const stored = await roundTrip(given, outputs);
        expect(JSON.stringify(stored.outputs)).toBe(JSON.stringify(outputs));
      }),
      { numRuns: 300 },
    );
  });
});
