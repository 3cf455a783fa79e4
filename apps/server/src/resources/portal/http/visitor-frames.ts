import type { Json, JsonObject } from '@millrace/engine';
import type { Frame } from '../../../execution/stream/frames.ts';

/** Visitors see which node works, never what it brings: results of nodes hold what the owner's services answer. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  execution_started: ['type', 'execution_id', 'server_now_ms'],
  node_start: ['type', 'node_id', 'node_label', 'started_at_ms'],
  node_retry: ['type', 'node_id', 'node_label', 'attempt', 'max_attempts'],
  node_complete: ['type', 'node_id', 'node_label', 'status', 'execution_time_ms'],
  final_output: ['type', 'node_label', 'output', 'execution_time_ms'],
  execution_complete: [
    'type',
    'workflow_id',
    'status',
    'outputs',
    'execution_time_ms',
    'execution_history_id',
  ],
};

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** The labels so far; a node that ran several times is there once, as `Label(n)`. */
class ProgressPath {
  readonly #times = new Map<string, number>();

  add(label: string): string[] {
    this.#times.set(label, (this.#times.get(label) ?? 0) + 1);
    return Array.from(this.#times, ([name, times]) => (times === 1 ? name : `${name}(${times})`));
  }
}

function added(data: JsonObject, path: ProgressPath): JsonObject {
  switch (data['type']) {
    case 'node_start':
      return { progress_path: path.add(textOf(data['node_label'])) };
    case 'node_complete':
      return { output: {} };
    case 'execution_complete':
      return { node_results: [] };
    default:
      return {};
  }
}

/** Turns the frames of one run into those of its visitor; undefined for what a visitor is not shown. */
export function visitorFrames(): (frame: Frame) => Frame | undefined {
  const path = new ProgressPath();
  return (frame) => {
    const fields = FIELDS[textOf(frame.data['type'])];
    if (!fields) return undefined;
    const kept: JsonObject = {};
    for (const field of fields) if (field in frame.data) kept[field] = frame.data[field] ?? null;
    return { ...frame, data: { ...kept, ...added(frame.data, path) } };
  };
}
