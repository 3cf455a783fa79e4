import { sql } from 'drizzle-orm';
import { doublePrecision, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { belongsTo, createdAt, jsonText, primaryId, updatedAt } from '../columns.ts';
import { portalConversations } from './portal.ts';
import { workflowId, workflows } from './workflows.ts';

/** Null in the memory that all runs share; else the facts are those of one portal conversation, and go with it. */
const conversationId = () =>
  uuid('conversation_id').references(() => portalConversations.id, { onDelete: 'cascade' });

const facts = () => ({
  properties: jsonText('properties').$type<Record<string, unknown>>().notNull(),
  /** From 0 to 1. */
  confidence: doublePrecision('confidence').notNull(),
  created_at: createdAt(),
  updated_at: updatedAt(),
});

/** The memory of the agents of workflows: each agent on a canvas has a memory of its own, and one per portal conversation. */
export const agentMemoryNodes = pgTable(
  'agent_memory_nodes',
  {
    id: primaryId(),
    workflow_id: workflowId(),
    canvas_node_id: text('canvas_node_id').notNull(),
    conversation_id: conversationId(),
    entity_name: text('entity_name').notNull(),
    /** The name without the case of its letters: one entity per key. */
    entity_key: text('entity_key').notNull(),
    entity_type: text('entity_type').notNull(),
    ...facts(),
  },
  (t) => [
    uniqueIndex('agent_memory_nodes_key')
      .on(t.workflow_id, t.canvas_node_id, t.entity_key)
      .where(sql`${t.conversation_id} is null`),
    uniqueIndex('agent_memory_nodes_conversation').on(
      t.conversation_id,
      t.workflow_id,
      t.canvas_node_id,
      t.entity_key,
    ),
    index('agent_memory_nodes_workflow').on(t.workflow_id),
  ],
);

export const agentMemoryEdges = pgTable(
  'agent_memory_edges',
  {
    id: primaryId(),
    workflow_id: workflowId(),
    canvas_node_id: text('canvas_node_id').notNull(),
    conversation_id: conversationId(),
    source_node_id: belongsTo('source_node_id', () => agentMemoryNodes.id),
    target_node_id: belongsTo('target_node_id', () => agentMemoryNodes.id),
    relationship_type: text('relationship_type').notNull(),
    ...facts(),
  },
  (t) => [
    uniqueIndex('agent_memory_edges_key').on(t.source_node_id, t.target_node_id, t.relationship_type),
    index('agent_memory_edges_target').on(t.target_node_id),
    index('agent_memory_edges_memory').on(t.workflow_id, t.canvas_node_id, t.conversation_id),
    index('agent_memory_edges_conversation').on(t.conversation_id),
  ],
);

/** Memories that published versions share with agents of other workflows. */
export const agentMemoryShares = pgTable(
  'agent_memory_shares',
  {
    workflow_id: workflowId(),
    canvas_node_id: text('canvas_node_id').notNull(),
    peer_workflow_id: belongsTo('peer_workflow_id', () => workflows.id),
    peer_canvas_node_id: text('peer_canvas_node_id').notNull(),
    permission: text('permission').$type<'read' | 'write'>().notNull(),
  },
  (t) => [
    primaryKey({
      columns: [t.workflow_id, t.canvas_node_id, t.peer_workflow_id, t.peer_canvas_node_id],
    }),
    index('agent_memory_shares_peer').on(t.peer_workflow_id, t.peer_canvas_node_id),
  ],
);
