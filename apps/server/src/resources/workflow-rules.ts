import { storeOwnEvent } from '../database/platform-events.ts';
import type { NodeDeactivation, WorkflowRules } from '../execution/workflows/workflow-rules.ts';
import type { Services } from '../services.ts';
import { platformReads } from './platform-reads.ts';
import { findActor } from './run-actor.ts';
import { canSeeWorkflow } from './workflows/access.ts';
import type { Graph } from './workflows/record.ts';
import { announceChange, writeState } from './workflows/save.ts';
import { lockedState } from './workflows/state.ts';

type Needed = Pick<Services, 'database' | 'broadcast' | 'changes' | 'now'>;

/** The graph with these nodes switched off, or nothing when they are off already. */
function switchedOff(graph: Graph | undefined, label: string): { ids: string[]; graph: Graph | undefined } {
  const hit = graph?.nodes.filter((node) => node.data?.['label'] === label) ?? [];
  const ids = hit.map((node) => node.id);
  if (!graph || hit.every((node) => node.data?.['active'] === false)) return { ids, graph: undefined };
  const nodes = graph.nodes.map((node) =>
    hit.includes(node) ? { ...node, data: { ...node.data, active: false } } : node,
  );
  return { ids, graph: { ...graph, nodes } };
}

/**
 * Switches every node with the label off in the stored workflow, as the person that the run is attributed to: an edit
 * like any other, as a new version, and in the draft too, which would switch them on again. A run of a draft leaves what is
 * published alone: its edit would bypass the publish gate. Returns the ids; none when no node has that label.
 */
async function deactivateNodes(
  services: Needed,
  { workflow_id, label, user_id, is_draft }: NodeDeactivation,
): Promise<readonly string[]> {
  const actor = await findActor(services, user_id);
  if (!actor) return [];
  const { database, broadcast, changes, now } = services;
  const { ids, state } = await database.db.transaction(async (tx) => {
    const ctx = { db: tx, actor, now, broadcast };
    const before = await lockedState(ctx, workflow_id, 'edit');
    const live = switchedOff(before.graph, label);
    const draft = switchedOff(before.draft?.graph, label);
    const published = is_draft ? undefined : live.graph;
    const changes = published !== undefined || draft.graph !== undefined;
    const written = {
      change: {},
      by_run: true,
      ...(published ? { graph: published } : {}),
      ...(draft.graph ? { draft: draft.graph } : {}),
    };
    return {
      ids: [...new Set([...live.ids, ...draft.ids])],
      state: changes ? await writeState(ctx, before, written) : before,
    };
  });
  if (ids.length === 0) return ids;
  announceChange({ broadcast }, workflow_id, state);
  await changes.waitUntilVisible();
  return ids;
}

export const createWorkflowRules = (services: Needed): WorkflowRules => ({
  canSee: (user_id, workflow_id) => canSeeWorkflow(services.database.db, user_id, workflow_id),
  deactivateNodes: (change) => deactivateNodes(services, change),
  createReads: (user_id) => platformReads(services.database, user_id),
  publishEvent: async ({ key, ...event }) => {
    const at = new Date(services.now());
    const stored = await storeOwnEvent(services.database.sql, { ...event, dedupe_key: `custom:${key}`, at });
    return stored.event;
  },
});
