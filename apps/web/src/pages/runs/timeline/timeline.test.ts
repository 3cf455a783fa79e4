import type { NodeResult } from '@millrace/contracts';
import { describe, expect, it } from 'vitest';
import { buildTimeline, ticksFor } from './timeline.ts';

const began = Date.parse('2026-11-21T10:00:00.000Z');
const result = (
  node_id: string,
  start: number | undefined,
  time: number,
  status: NodeResult['status'] = 'success',
) => ({
  node_id,
  node_label: node_id,
  node_type: 'set',
  status,
  output: {},
  execution_time_ms: time,
  error: null,
  metadata: start === undefined ? {} : { started_at_ms: began + start },
});

describe('buildTimeline', () => {
  it('places results after the begin of the run, in order of their start', () => {
    const { bars, total_ms } = buildTimeline(
      [result('b', 40, 10), result('a', 5, 30)],
      '2026-11-21T10:00:00.000Z',
      60,
    );
    expect(bars.map((bar) => [bar.label, bar.start_ms, bar.length_ms])).toEqual([
      ['a', 5, 30],
      ['b', 40, 10],
    ]);
    expect(total_ms).toBe(60);
  });

  it('grows past the recorded length when a node ended later', () => {
    expect(buildTimeline([result('a', 50, 30)], '2026-11-21T10:00:00.000Z', 60).total_ms).toBe(80);
  });

  it('leaves out skipped nodes and results without a start', () => {
    expect(
      buildTimeline([result('a', 0, 0, 'skipped'), result('b', undefined, 3)], '2026-11-21T10:00:00.000Z', 9)
        .bars,
    ).toEqual([]);
  });
});

describe('ticksFor', () => {
  it.each([
    [10, [0, 2, 4, 6, 8, 10]],
    [1000, [0, 200, 400, 600, 800, 1000]],
    [47, [0, 10, 20, 30, 40]],
    [1, [0, 1]],
  ])('marks %d ms', (total, ticks) => {
    expect(ticksFor(total)).toEqual(ticks);
  });
});
