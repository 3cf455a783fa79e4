import type { Actor, Services } from '../../../core/context.ts';
import { announceChange, lockedState, writeState } from '../../../resources/workflows/save.ts';
import type { NodeDeactivation } from '../environment.ts';

type Needed = Pick<Services, 'database' | 'broadcast' | 'changes' | 'now'>;

async function actorOf({ database }: Needed, user_id: string): Promise<Actor | undefined> {
  const { rows } = await database.sql.query<Omit<Actor, 'user_id'>>({
    text: 'SELECT email, name, is_admin FROM users WHERE id = $1',
    values: [user_id],
  });
  return rows[0] && { ...rows[0], user_id };
}

/**
 * Switches every node with the label off in the stored workflow, as the person that the run is attributed to: an edit
 * like any other, with a version of its own. Returns the ids; none when no node has that label.
 */
export async function deactivateNodes(
  services: Needed,
  { workflow_id, label, user_id }: NodeDeactivation,
): Promise<readonly string[]> {
  const actor = await actorOf(services, user_id);
  if (!actor) return [];
  const { database, broadcast, changes, now } = services;
  const ids = await database.db.transaction(async (tx) => {
    const ctx = { db: tx, actor, now, broadcast };
    const before = await lockedState(ctx, workflow_id, 'edit');
    const hit = before.graph.nodes.filter((node) => node.data?.['label'] === label);
    if (hit.every((node) => node.data?.['active'] === false)) return hit.map((node) => node.id);
    const nodes = before.graph.nodes.map((node) =>
      hit.includes(node) ? { ...node, data: { ...node.data, active: false } } : node,
    );
    await writeState(ctx, before, { change: {}, graph: { ...before.graph, nodes } });
    return hit.map((node) => node.id);
  });
  if (ids.length === 0) return ids;
  announceChange({ broadcast }, workflow_id);
  await changes.settle();
  return ids;
}
