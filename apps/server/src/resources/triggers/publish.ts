import {
  fieldMeta,
  isShown,
  type JsonObject,
  type NodeDefinition,
  receivingKind,
  summarize,
  type TriggerKind,
  type WorkflowDocument,
} from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { and, eq, ne, notInArray, or, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { invalidField } from '../../core/app-error.ts';
import type { Db } from '../../database/database.ts';
import { triggerAddresses, triggers } from '../../database/schema/index.ts';
import type { Graph } from '../workflows/record.ts';

/** Kinds whose rows have a time from the start, counted from which the host takes them up. */
const TIMED: ReadonlySet<TriggerKind> = new Set<TriggerKind>(['clock', 'poll', 'event']);

interface TriggerNode {
  readonly node_id: string;
  readonly type: string;
  readonly kind: TriggerKind;
  readonly settings: JsonObject;
  readonly active: boolean;
}

/**
 * The settings that the trigger reads, in an order of their own: a new label or place on the canvas is no change. What
 * a form shows of a node that stores nothing is what fires; what it hides at the present choice cannot be wrong, as in the
 * check of the graph.
 */
function pickSettings({ params, initial }: NodeDefinition, data: JsonObject): JsonObject {
  const shown = { ...initial, ...data };
  const settings: JsonObject = {};
  for (const key of Object.keys(params.shape)) {
    const value = shown[key];
    const schema = params.shape[key] as z.ZodType;
    const meta = fieldMeta(schema);
    const isLeftOver = meta && !isShown(meta, shown, params.shape) && !schema.safeParse(value).success;
    if (value !== undefined && !isLeftOver) settings[key] = value;
  }
  return settings;
}

/** Start nodes that something outside fires, those that are switched off included. */
export function triggerNodes(graph: Graph): TriggerNode[] {
  const starts = summarize(graph as WorkflowDocument, catalog).triggers;
  const nodes = new Map((graph as WorkflowDocument).nodes.map((node) => [node.id, node]));
  return starts.flatMap(({ node_id, node_type, active }) => {
    const data = nodes.get(node_id)?.data ?? {};
    const definition = catalog.get(node_type);
    const kind = definition ? receivingKind(definition, data) : null;
    if (!definition || !kind) return [];
    return [{ node_id, type: definition.type, kind, settings: pickSettings(definition, data), active }];
  });
}

interface Publication {
  readonly workflow_id: string;
  readonly version_id: string;
  readonly graph: Graph;
  /** Off: no trigger of the workflow fires. */
  readonly active: boolean;
  readonly at: Date;
}

/**
 * Reserves the addresses of a workflow's webhook nodes.
 *
 * @throws AppError when one belongs to another workflow, with the place of its node
 */
async function reserveAddresses(
  db: Db,
  { workflow_id, graph }: Publication,
  nodes: readonly TriggerNode[],
): Promise<void> {
  // In one order, so that two publications with the same ids never wait for each other.
  const addressed = nodes
    .filter(({ kind }) => kind === 'webhook')
    .toSorted((a, b) => (a.node_id < b.node_id ? -1 : 1));
  if (addressed.length === 0) return;
  await db
    .insert(triggerAddresses)
    .values(addressed.map(({ node_id, type }) => ({ node_id, type, workflow_id })))
    .onConflictDoNothing();
  const isNamed = or(
    ...addressed.map(({ node_id, type }) =>
      and(eq(triggerAddresses.node_id, node_id), eq(triggerAddresses.type, type)),
    ),
  );
  const [foreign] = await db
    .select({ id: triggerAddresses.node_id })
    .from(triggerAddresses)
    .where(and(isNamed, ne(triggerAddresses.workflow_id, workflow_id)))
    .limit(1);
  if (!foreign) return;
  const index = graph.nodes.findIndex(({ id }) => id === foreign.id);
  const label = graph.nodes[index]?.data['label'];
  throw invalidField(
    ['body', 'nodes', index, 'id'],
    `The node "${typeof label === 'string' ? label : foreign.id}" has the id "${foreign.id}", which is the address of another workflow. Give the node an id of its own: delete it and add it again in the editor, or send the graph with another id`,
    'address_taken',
  );
}

/**
 * Makes the rows of a workflow's triggers those of a version; in its transaction. A trigger that stays the same keeps its
 * times, its cursor and its host. One that changed counts from now on, and what its host does for the old one is refused.
 */
export async function replaceTriggers(db: Db, publication: Publication): Promise<void> {
  const { workflow_id, version_id, graph, active, at } = publication;
  const nodes = triggerNodes(graph).map((node) => ({ ...node, active: node.active && active }));
  const kept = nodes.map(({ node_id }) => node_id);
  await db
    .delete(triggers)
    .where(
      and(
        eq(triggers.workflow_id, workflow_id),
        kept.length > 0 ? notInArray(triggers.node_id, kept) : undefined,
      ),
    );
  if (nodes.length === 0) return;
  await reserveAddresses(db, publication, nodes);
  const rows = nodes.map((node) => ({
    ...node,
    workflow_id,
    version_id,
    next_due_at: node.active && TIMED.has(node.kind) ? at : null,
    created_at: at,
    state_since: at,
  }));
  const isOn = sql`(excluded.active AND ${triggers.paused_at} IS NULL)`;
  const same = sql`${triggers.type} = excluded.type AND ${triggers.settings} = excluded.settings
    AND ${triggers.active} = ${isOn}`;
  const changed = <T>(column: T, to: T) => sql`CASE WHEN ${same} THEN ${column} ELSE ${to} END`;
  await db
    .insert(triggers)
    .values(rows)
    .onConflictDoUpdate({
      target: [triggers.workflow_id, triggers.node_id],
      set: {
        version_id: sql`excluded.version_id`,
        type: sql`excluded.type`,
        kind: sql`excluded.kind`,
        settings: sql`excluded.settings`,
        active: isOn,
        // Another type reads another source.
        cursor: sql`CASE WHEN ${triggers.type} = excluded.type THEN ${triggers.cursor} END`,
        next_due_at: changed(
          sql`${triggers.next_due_at}`,
          sql`CASE WHEN ${isOn} THEN excluded.next_due_at END`,
        ),
        armed_at: changed(sql`${triggers.armed_at}`, sql`NULL`),
        epoch: changed(sql`${triggers.epoch}`, sql`${triggers.epoch} + 1`),
        state: changed(sql`${triggers.state}`, sql`'new'`),
        state_since: changed(sql`${triggers.state_since}`, sql`excluded.state_since`),
        last_error: changed(sql`${triggers.last_error}`, sql`NULL`),
        last_error_at: changed(sql`${triggers.last_error_at}`, sql`NULL`),
        failures: changed(sql`${triggers.failures}`, sql`0`),
      },
    });
}
