import { isJsonObject, type JsonObject, readText } from '@millrace/engine';

/** Handles that do not choose between ways. */
const NO_CHOICE: ReadonlySet<string> = new Set(['', 'loop', 'done', 'tool-output']);
/** Edges that are followed to find joins, over all nodes that choose. */
const MOST_STEPS = 2_000_000;

/**
 * Nodes that choose between ways leave nodes open that other ways lead to as well: n8n runs a node for what comes in at
 * any of its connections, and a choice here would skip it.
 */
export function leaveJoinsOpen(nodes: readonly JsonObject[], edges: readonly JsonObject[]): void {
  const targets = new Map<string, string[]>();
  const ways = new Map<string, number>();
  const choosing = new Set<string>();
  for (const { source, target, sourceHandle, targetHandle } of edges) {
    if (readText(sourceHandle) === 'tool-output' || readText(targetHandle) === 'loop') continue;
    const [from, to] = [readText(source), readText(target)];
    const known = targets.get(from);
    if (known === undefined) targets.set(from, [to]);
    else known.push(to);
    ways.set(to, (ways.get(to) ?? 0) + 1);
    if (!NO_CHOICE.has(readText(sourceHandle))) choosing.add(from);
  }
  let steps = 0;
  const leadsToJoin = (start: string): boolean => {
    const seen = new Set<string>();
    const stack = [...(targets.get(start) ?? [])];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if ((ways.get(at) ?? 0) > 1) return true;
      if (seen.has(at)) continue;
      seen.add(at);
      // Too many to look at all: leaving a join open that is none changes nothing.
      if (++steps > MOST_STEPS) return true;
      stack.push(...(targets.get(at) ?? []));
    }
    return false;
  };
  for (const { id, data } of nodes) {
    if (isJsonObject(data) && choosing.has(readText(id)) && leadsToJoin(readText(id)))
      data['closesJoins'] = false;
  }
}
