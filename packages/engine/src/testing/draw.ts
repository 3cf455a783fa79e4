import type { JsonObject } from '../json.ts';
import type { WorkflowDocument, WorkflowEdge, WorkflowNode } from '../workflow/schema.ts';

/** Data of drawn nodes by label; `type` is the node's type, `step` when left out. */
export type DrawnNodes = Record<string, JsonObject | string>;

/**
 * A document from lines of arrows, ids and labels being the names:
 *
 * ```
 * start -> each
 * each:loop -> work -> each@loop
 * each:done -> out
 * ```
 *
 * `name:handle` names the source handle, `name@handle` the target handle. A name called `start` is a trigger unless
 * `nodes` says otherwise; nodes keep the order in which they are first named.
 */
export function draw(lines: string, nodes: DrawnNodes = {}): WorkflowDocument {
  const names = new Set<string>();
  const edges: WorkflowEdge[] = [];
  for (const line of lines.split('\n')) {
    const stops = line.split('->').map((text) => text.trim());
    for (const [index, stop] of stops.entries()) {
      const to = parseEnd(stop);
      if (to.name === '') continue;
      names.add(to.name);
      const previous = stops[index - 1];
      if (previous === undefined) continue;
      const from = parseEnd(previous);
      edges.push({
        id: `${previous}>${stop}#${edges.length}`,
        source: from.name,
        target: to.name,
        ...(from.port === undefined ? {} : { sourceHandle: from.port }),
        ...(to.handle === undefined ? {} : { targetHandle: to.handle }),
      });
    }
  }
  for (const name of Object.keys(nodes)) names.add(name);
  return { nodes: [...names].map((name) => createNode(name, nodes[name])), edges };
}

function parseEnd(stop: string): { name: string; port?: string; handle?: string } {
  const [named = '', handle] = stop.split('@');
  const [name = '', port] = named.split(':');
  return { name, ...(port === undefined ? {} : { port }), ...(handle === undefined ? {} : { handle }) };
}

function createNode(name: string, described: JsonObject | string | undefined): WorkflowNode {
  const { type, ...data } = typeof described === 'string' ? { type: described } : (described ?? {});
  const usual = name === 'start' ? 'trigger' : 'step';
  return {
    id: name,
    type: typeof type === 'string' ? type : usual,
    position: { x: 0, y: 0 },
    data: { label: name, ...data },
  };
}
