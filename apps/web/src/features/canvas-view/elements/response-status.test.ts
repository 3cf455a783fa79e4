import type { Json } from '@millrace/engine';
import { expect, test } from 'vitest';
import type { NodeRun, NodeRunStatus } from '../../run-view/run-store.ts';
import { unusualStatus } from './response-status.ts';

function runWith(outputs: readonly Json[], status: NodeRunStatus = 'success'): NodeRun {
  return {
    status,
    attempt: 1,
    max_attempts: 1,
    started_at_ms: undefined,
    records: outputs.map((output) => ({
      status,
      output,
      error: null,
      started_at_ms: undefined,
      execution_time_ms: 1,
    })),
    steps: [],
  };
}

test.each<[Json, number | undefined]>([
  [{ status: 200 }, undefined],
  [{ status: 204 }, undefined],
  [{ status: 199 }, 199],
  [{ status: 304 }, 304],
  [{ status: 404, body: 'gone' }, 404],
  [{ status: '404' }, undefined],
  [{}, undefined],
  [null, undefined],
  [[404], undefined],
])('the response %j', (output, expected) => {
  expect(unusualStatus(runWith([output]))).toBe(expected);
});

test('the last round counts, and a failed node shows its failure instead', () => {
  expect(unusualStatus(runWith([{ status: 500 }, { status: 200 }]))).toBeUndefined();
  expect(unusualStatus(runWith([{ status: 200 }, { status: 500 }]))).toBe(500);
  expect(unusualStatus(runWith([{ status: 500 }], 'error'))).toBeUndefined();
  expect(unusualStatus(runWith([]))).toBeUndefined();
});
