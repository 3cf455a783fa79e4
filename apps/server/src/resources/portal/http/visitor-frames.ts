import type { PortalAppearance } from '@millrace/contracts';
import { type JsonObject, readText, type WorkflowGraph } from '@millrace/engine';
import { answerTokens } from '../../../execution/stream/answer-tokens.ts';
import { type Frame, isToken } from '../../../execution/stream/frames.ts';

/** Visitors see which node works, never what it brings: results of nodes hold what the owner's services answer. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  execution_started: ['type', 'execution_id', 'server_now_ms'],
  node_start: ['type', 'node_id', 'node_label', 'started_at_ms'],
  node_retry: ['type', 'node_id', 'node_label', 'attempt', 'max_attempts'],
  node_complete: ['type', 'node_id', 'node_label', 'status', 'execution_time_ms'],
  node_token: ['type', 'node_id', 'node_label', 'iteration', 'step', 'offset', 'text'],
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

/** The labels so far; a node that ran several times is there once, as `Label(n)`. */
class ProgressPath {
  readonly #times = new Map<string, number>();

  add(label: string): string[] {
    this.#times.set(label, (this.#times.get(label) ?? 0) + 1);
    return Array.from(this.#times, ([name, times]) => (times === 1 ? name : `${name}(${times})`));
  }
}

type Progress = Pick<PortalAppearance, 'progress' | 'progress_messages'>;

const getProgressMessage = ({ progress_messages }: Progress, data: JsonObject): string => {
  const node_id = readText(data['node_id']);
  return Object.hasOwn(progress_messages, node_id) ? (progress_messages[node_id] ?? '') : '';
};

/** Whether the owner lets visitors see that this node works. */
function isShown(appearance: Progress, data: JsonObject): boolean {
  if (!readText(data['type']).startsWith('node_') || appearance.progress === 'labels') return true;
  return appearance.progress === 'messages' && getProgressMessage(appearance, data) !== '';
}

interface Added {
  readonly appearance: Progress;
  readonly path: ProgressPath;
}

function added(data: JsonObject, { appearance, path }: Added): JsonObject {
  const message = getProgressMessage(appearance, data);
  // The text that takes the place of a label may have been chosen because the label is not for visitors.
  const named = message === '' ? {} : { node_label: message };
  switch (data['type']) {
    case 'node_start': {
      const progress_path = path.add(message || readText(data['node_label']));
      return { ...named, ...(message === '' ? {} : { message }), progress_path };
    }
    // Where labels are hidden, the end alone has those of outputs, which name its values.
    case 'final_output':
    case 'node_token':
      return appearance.progress === 'labels' ? named : { node_label: message };
    case 'node_retry':
      return named;
    case 'node_complete':
      return { ...named, output: {} };
    case 'execution_complete':
      return { node_results: [] };
    default:
      return {};
  }
}

/** Turns the frames of one run into those of its visitor; undefined for what a visitor is not shown. */
export function visitorFrames(
  graph: WorkflowGraph,
  appearance: Progress,
): (frame: Frame) => Frame | undefined {
  const path = new ProgressPath();
  const isAnswer = answerTokens(graph);
  return (frame) => {
    if (isToken(frame) && !isAnswer(frame)) return undefined;
    const fields = FIELDS[readText(frame.data['type'])];
    // The answer is shown even when the progress of nodes is hidden.
    if (!fields || !(isToken(frame) || isShown(appearance, frame.data))) return undefined;
    const kept: JsonObject = {};
    for (const field of fields) if (field in frame.data) kept[field] = frame.data[field] ?? null;
    return { ...frame, data: { ...kept, ...added(frame.data, { appearance, path }) } };
  };
}
