import type { ImportReport } from '@millrace/contracts';
import type { WorkflowNode } from '@millrace/engine';

/** The changes to what was put on the canvas from another tool. */
export interface CanvasReport {
  readonly report: ImportReport;
  /** Of all nodes that were put there. */
  readonly ids: readonly string[];
}

/** The report with the ids that its nodes got on the canvas, which are in the same order as `nodes`. */
export function createCanvasReport(
  report: ImportReport,
  nodes: readonly { readonly id: string }[],
  ids: readonly string[],
): CanvasReport {
  const now = new Map(nodes.map(({ id }, index) => [id, ids[index] ?? id]));
  const lines = report.lines.map((line) => ({
    ...line,
    node_id: now.get(line.node_id ?? '') ?? line.node_id,
  }));
  return { report: { ...report, lines }, ids };
}

/** With one more; what was undone before it had the same ids. */
export const addCanvasReport = (reports: readonly CanvasReport[], added: CanvasReport): CanvasReport[] => [
  ...reports.filter(({ ids }) => !ids.some((id) => added.ids.includes(id))),
  added,
];

/** Of those whose nodes are there, the newest first; what was undone or deleted needs no attention. */
export function mergeCanvasReports(
  reports: readonly CanvasReport[],
  nodes: readonly Pick<WorkflowNode, 'id'>[],
): ImportReport | undefined {
  const there = new Set(nodes.map(({ id }) => id));
  const shown = reports.filter(({ ids }) => ids.some((id) => there.has(id))).toReversed();
  const [newest] = shown;
  if (newest === undefined) return undefined;
  const lines = shown.flatMap(({ report }) => report.lines);
  // Lines about the workflow as a whole are the same in each.
  const general = new Set<string>();
  const isNews = ({ message }: { message: string }) => !general.has(message) && Boolean(general.add(message));
  return {
    imported_at: newest.report.imported_at,
    lines: lines.filter((line) => (line.node_id === null ? isNews(line) : there.has(line.node_id))),
  };
}
