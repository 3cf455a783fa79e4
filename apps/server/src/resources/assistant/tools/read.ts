import { runStatus } from '@millrace/contracts';
import type { Json, JsonObject } from '@millrace/engine';
import { DAY_MS } from '@millrace/engine/units';
import { catalog } from '@millrace/nodes/catalog';
import { z } from 'zod';
import { listAllHistory, readEntry } from '../../executions/history/service.ts';
import { listFiles } from '../../files/service.ts';
import { listVariables } from '../../global-variables/service.ts';
import { listDueTimes } from '../../triggers/schedules.ts';
import { listTriggers } from '../../triggers/service.ts';
import { graphInterface, graphProblems } from '../../workflows/graph/graph-facts.ts';
import { listWorkflows, readWorkflow } from '../../workflows/service.ts';
import { takeImages } from '../conversation/data.ts';
import { defineTool, type Tool, type ToolWorld } from './tool.ts';
import { withoutSecrets } from './without-secrets.ts';

const limit = z.int().min(1).max(50).default(20);
const search = z.string().max(200).optional();
const workflow_id = z.uuid().describe('Id of a workflow, from list_workflows');

const VALUE_CHARACTERS = 2_000;

/** A value, or the beginning of a long one as text. */
function short({ mask }: Pick<ToolWorld, 'mask'>, value: unknown): Json {
  // Masked before it is cut: the beginning of a secret is not recognized.
  const { value: shown } = takeImages(mask((value ?? null) as Json));
  const text = JSON.stringify(shown);
  return text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)} [cut]` : shown;
}

export const listTool = defineTool({
  name: 'list_workflows',
  label: 'Reads the list of workflows',
  description: 'Workflows that the user can see, with their ids; those changed last come first.',
  input: z.object({ search: search.describe('Part of the name or the description'), limit }),
  async use({ ctx }, query) {
    const found = await listWorkflows(ctx, { ...query, sort: 'updated_at', offset: 0 });
    return found.map((workflow) => {
      const { id, name, description, access, active, published, first_node_type, updated_at } = workflow;
      return { id, name, description, access, active, published, starts_with: first_node_type, updated_at };
    });
  },
});

const explainTool = defineTool({
  name: 'explain_workflow',
  label: 'Reads a workflow',
  description:
    'Nodes, connections, input fields and problems of one workflow. Secrets are left out. Explain it from this.',
  input: z.object({ workflow_id }),
  async use({ ctx }, { workflow_id: id }) {
    const { name, description, active, published, nodes, edges } = await readWorkflow(ctx, id, {});
    const graph = { nodes, edges };
    return {
      id,
      name,
      description,
      active,
      published,
      input_fields: graphInterface(graph).input_fields,
      nodes: nodes.map((node) => ({
        id: node.id,
        type: node.type,
        title: catalog.get(node.type)?.title ?? node.type,
        data: withoutSecrets(node.data as JsonObject),
      })),
      edges: edges.map(({ source, target, sourceHandle, targetHandle }) => ({
        source,
        target,
        ...(sourceHandle ? { sourceHandle } : {}),
        ...(targetHandle ? { targetHandle } : {}),
      })),
      problems: graphProblems(graph).map(({ node_id, field, message }) => ({ node_id, field, message })),
    };
  },
});

const listRunsTool = defineTool({
  name: 'list_runs',
  label: 'Reads the list of runs',
  description: 'Runs of the workflows that the user can see, newest first.',
  input: z.object({
    workflow_id: workflow_id.optional(),
    status: runStatus.optional(),
    search,
    limit,
  }),
  async use({ ctx }, query) {
    const { items, total } = await listAllHistory(ctx, { ...query, offset: 0 });
    const runs = items.map((item) => {
      const { id, workflow_name, started_at, status, execution_time_ms, trigger_source } = item;
      return {
        run_id: id,
        workflow_id: item.workflow_id,
        workflow_name,
        started_at,
        status,
        execution_time_ms,
        trigger_source,
      };
    });
    return { total, runs };
  },
});

export const readRunTool = defineTool({
  name: 'read_run',
  label: 'Reads a run',
  description: 'Inputs, outputs and the result or error of each node of one run.',
  input: z.object({ run_id: z.uuid().describe('Id of a run, from list_runs') }),
  async use(world, { run_id }) {
    const { ctx, services } = world;
    const entry = await readEntry(ctx, services, { entry_id: run_id });
    return {
      run_id,
      workflow_id: entry.workflow_id,
      workflow_name: entry.workflow_name,
      status: entry.status,
      started_at: entry.started_at,
      trigger_source: entry.trigger_source,
      inputs: short(world, entry.inputs),
      outputs: short(world, entry.outputs),
      nodes: entry.node_results.map((row) => ({
        label: row.node_label,
        type: row.node_type,
        status: row.status,
        error: row.error,
        execution_time_ms: row.execution_time_ms,
        output: row.status === 'error' ? null : short(world, row.output),
      })),
    };
  },
});

const listSchedulesTool = defineTool({
  name: 'list_schedules',
  label: 'Reads the schedules',
  description: 'Planned due times of schedules in the next days, in UTC.',
  input: z.object({ days: z.int().min(1).max(31).default(7) }),
  async use({ ctx }, { days }) {
    const start = new Date(ctx.now()).toISOString();
    const end = new Date(ctx.now() + days * DAY_MS).toISOString();
    const { events, total } = await listDueTimes(ctx, { start, end, include_shared: true });
    return {
      total,
      events: events.slice(0, 100).map((event) => ({
        workflow_id: event.workflow_id,
        workflow_name: event.workflow_name,
        node_id: event.node_id,
        scheduled_at: event.scheduled_at,
      })),
    };
  },
});

const listTriggersTool = defineTool({
  name: 'list_triggers',
  label: 'Reads the triggers',
  description: 'Triggers of published workflows with their state, last event and last error.',
  input: z.object({ workflow_id: workflow_id.optional() }),
  async use({ ctx }, query) {
    const triggers = await listTriggers(ctx, { ...query, limit: 100, offset: 0 });
    return triggers.map((trigger) => ({
      workflow_id: trigger.workflow_id,
      workflow_name: trigger.workflow_name,
      node_id: trigger.node_id,
      type: trigger.type,
      state: trigger.state,
      paused_at: trigger.paused_at,
      last_event_at: trigger.last_event_at,
      last_error: trigger.last_error,
      next_due_at: trigger.next_due_at,
    }));
  },
});

const listVariablesTool = defineTool({
  name: 'list_variables',
  label: 'Reads the variables',
  description:
    'Global variables that the user can see, with values as the user sees them: secrets are masked.',
  input: z.object({}),
  async use(world) {
    const variables = await listVariables(world.ctx);
    return variables.map(({ name, value, value_type, is_shared }) => ({
      name,
      value: withoutSecrets(short(world, value), name),
      value_type,
      is_shared,
    }));
  },
});

const listFilesTool = defineTool({
  name: 'list_files',
  label: 'Reads the list of files',
  description: 'Files of the Drive that the user can see, newest first; not their content.',
  input: z.object({ search: search.describe('Part of the name'), limit }),
  async use({ ctx }, query) {
    const { files, total } = await listFiles(ctx, { ...query, offset: 0 });
    return {
      total,
      // No addresses: those of public links open the file for everyone.
      files: files.map(({ id, filename, mime_type, size_bytes, created_at, source_node_label }) => ({
        id,
        filename,
        mime_type,
        size_bytes,
        created_at,
        source_node_label,
      })),
    };
  },
});

/** Tools that look at the person's own things and change nothing. */
export const READING_TOOLS: readonly Tool[] = [
  listTool,
  explainTool,
  listRunsTool,
  readRunTool,
  listSchedulesTool,
  listTriggersTool,
  listVariablesTool,
  listFilesTool,
];
