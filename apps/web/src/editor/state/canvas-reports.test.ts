import { expect, test } from 'vitest';
import { addCanvasReport, createCanvasReport, mergeCanvasReports } from './canvas-reports.ts';

const line = (node_id: string | null, message: string) => ({ node_id, field: 'nodes.0', message });
const report = (imported_at: string, ...lines: ReturnType<typeof line>[]) => ({ imported_at, lines });
const nodes = (...ids: string[]) => ids.map((id) => ({ id }));

const first = createCanvasReport(
  report('2026-01-01', line('a', 'A changed'), line(null, 'strict')),
  nodes('a', 'b'),
  ['a_1', 'b_1'],
);
const second = createCanvasReport(
  report('2026-01-02', line('a', 'A again'), line(null, 'strict')),
  nodes('a'),
  ['a_2'],
);

test('lines follow the ids that nodes got', () => {
  expect(first.report.lines.map(({ node_id }) => node_id)).toEqual(['a_1', null]);
});

test('several are one, the newest first, with what is the same in each only once', () => {
  expect(mergeCanvasReports([first, second], nodes('a_1', 'b_1', 'a_2'))).toEqual({
    imported_at: '2026-01-02',
    lines: [line('a_2', 'A again'), line(null, 'strict'), line('a_1', 'A changed')],
  });
});

test('a paste after an undone one takes its place, as its nodes have the same ids', () => {
  expect(addCanvasReport([first], second)).toEqual([first, second]);
  expect(addCanvasReport([first, second], first)).toEqual([second, first]);
});

test('nodes that were deleted have no lines, and an import that was undone has none at all', () => {
  expect(mergeCanvasReports([first, second], nodes('b_1'))?.lines).toEqual([line(null, 'strict')]);
  expect(mergeCanvasReports([first, second], nodes('other'))).toBeUndefined();
  expect(mergeCanvasReports([], nodes('a_1'))).toBeUndefined();
});
