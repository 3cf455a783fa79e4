import type { WorkflowEdge } from '../../schema.ts';

/** Target handles of edges that hang tools and helpers onto an agent; they never schedule anything. */
const AGENT_ONLY = new Set(['tool-input', 'sub-agent-input']);

/** Ports under which exports and documentation also write a handle. */
const SPELLINGS = new Map([['review', 'hitl']]);

export function isAgentEdge(edge: Pick<WorkflowEdge, 'targetHandle'>): boolean {
  return typeof edge.targetHandle === 'string' && AGENT_ONLY.has(edge.targetHandle);
}

/** Target handle of the tools of an agent, and the source handle that exports write with it. */
export const TOOL_INPUT = 'tool-input';
export const TOOL_OUTPUT = 'tool-output';

export const isToolEdge = ({ targetHandle }: Pick<WorkflowEdge, 'targetHandle'>): boolean =>
  targetHandle === TOOL_INPUT;

export function isDefaultHandle(handle: string | null | undefined): boolean {
  return (
    handle === undefined || handle === null || handle === '' || handle === 'output' || handle === 'input'
  );
}

export type PortMatch =
  | { port: string; issue?: undefined }
  | { port: string; issue: 'default_is_true' | 'unknown_handle' | 'handle_needed' };

/**
 * The port that makes an edge live. `''` is never live: the edge starts at a handle the node does not have.
 * `ports` are those the node can make live, `error` included where it applies.
 */
export function matchPort(handle: string | null | undefined, ports: readonly string[]): PortMatch {
  if (isDefaultHandle(handle)) {
    if (ports.includes('output')) return { port: 'output' };
    // Exports leave the handle of a condition out and mean its true side.
    if (ports.includes('true')) return { port: 'true', issue: 'default_is_true' };
    return { port: '', issue: ports.some((port) => port !== 'error') ? 'handle_needed' : 'unknown_handle' };
  }
  const wanted = handle ?? '';
  if (ports.includes(wanted)) return { port: wanted };
  const other = SPELLINGS.get(wanted) ?? `case-${wanted}`;
  return ports.includes(other) ? { port: other } : { port: '', issue: 'unknown_handle' };
}
