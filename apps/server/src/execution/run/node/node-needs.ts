import type { Egress, NodeImplementation } from '@millrace/nodes/runtime';
import type { ServerParsers } from '../../../ports/parsers.ts';
import type { AgentMemoryStore } from '../../../ports/run/agent-memories.ts';
import type { Budgets } from '../../../ports/run/budgets.ts';
import type { RunFiles } from '../../../ports/run/run-files.ts';
import type { RunSkills } from '../../../ports/run/run-skills.ts';
import type { RunTables } from '../../../ports/run/run-tables.ts';
import type { Traces } from '../../../ports/run/traces.ts';
import type { VectorStores } from '../../../ports/run/vector-stores.ts';
import type { Sandboxes } from '../../../ports/sandbox.ts';
import type { WorkflowRules } from '../../workflows/workflow-rules.ts';

/** Everything outside of runs that nodes use. */
export interface NodePorts {
  readonly run_files: RunFiles;
  readonly run_tables: RunTables;
  readonly run_skills: RunSkills;
  readonly agent_memories: AgentMemoryStore;
  readonly vector_stores: VectorStores;
  readonly sandboxes: Sandboxes;
  readonly parsers: ServerParsers;
  readonly egress: Egress;
  readonly traces: Traces;
  readonly budgets: Budgets;
}

export interface NodeNeeds {
  /** How nodes run, by type. */
  readonly implementations: ReadonlyMap<string, NodeImplementation>;
  readonly ports: NodePorts;
  readonly workflow_rules: Pick<WorkflowRules, 'deactivateNodes' | 'createReads' | 'publishEvent'>;
}
