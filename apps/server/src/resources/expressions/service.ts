import { randomUUID } from 'node:crypto';
import type { evaluateExpression, GraphNode, Received, ResponseOf } from '@millrace/contracts';
import {
  type CompiledWorkflow,
  compile,
  compileWorkflow,
  createMasker,
  type ExpressionMode,
  fieldMeta,
  type PreviewSources,
  preview,
  previewScope,
  type WorkflowDocument,
} from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import type { RunSecrets } from '../../ports/run/run-secrets.ts';
import type { Needs } from '../../services.ts';
import { readWorkflow } from '../workflows/service.ts';
import { inputLabels, knownResults, loopsAround, type Surroundings, sampleInput } from './known-results.ts';

type Asked = Received<typeof evaluateExpression>['body'];
type Answered = ResponseOf<typeof evaluateExpression>;

/** How the field reads its text; `mappings.0.value` is read as `mappings` is. */
function resolveMode(node: GraphNode | undefined, field_name: string | null | undefined): ExpressionMode {
  const definition = node && catalog.get(node.type);
  const field = field_name?.split('.')[0];
  if (!definition || !field || !Object.hasOwn(definition.params.shape, field)) return 'value';
  const schema = definition.params.shape[field];
  return (schema && fieldMeta(schema)?.mode) ?? 'value';
}

/** The position of a node in the stored graph. */
function locateNode(
  graph: CompiledWorkflow,
  node_id: string,
): Pick<PreviewSources, 'loop_label' | 'variable_labels' | 'input_labels'> {
  const place = graph.indexOf(node_id);
  const node = graph.nodes[place];
  const [loop] = loopsAround(graph, place);
  const variables = graph.nodes.filter(({ type }) => type === 'variable');
  return {
    loop_label: loop === undefined ? null : (graph.nodes[loop]?.label ?? null),
    variable_labels: new Set(variables.map(({ label }) => label)),
    input_labels: node ? inputLabels(graph, node) : [],
  };
}

/**
 * `$credentials` as a preview may show them: masked before they are read, so that no expression can reveal
 * the rest of a secret (§5.8).
 */
async function maskedCredentials(
  run_secrets: RunSecrets,
  user_id: string,
  expression: string,
): Promise<Record<string, string>> {
  const names = compile(expression, 'template')
    .references.filter((reference) => reference.name === 'credentials')
    .map(({ path }) => path[0]);
  const known = names.filter((name) => name !== undefined);
  const is_computed = known.length < names.length;
  const credentials = await run_secrets.credentialsByName(user_id, is_computed ? null : [...new Set(known)]);
  const shown: Record<string, string> = Object.create(null);
  for (const [name, { expression_value, secrets }] of credentials) {
    if (expression_value === undefined) continue;
    shown[name] = createMasker([...secrets, expression_value]).maskText(expression_value);
  }
  return shown;
}

/** The value of an expression as the editor has things on screen. A wrong expression is part of the answer. */
export async function evaluate(
  ctx: Needs<'db' | 'actor' | 'config' | 'now'>,
  run_secrets: RunSecrets,
  asked: Asked,
): Promise<Answered> {
  const workflow = await readWorkflow(ctx, asked.workflow_id, { draft: true });
  const { user_id } = ctx.actor;
  const node = workflow.nodes.find((candidate) => candidate.id === asked.current_node_id);
  const { nodes, edges } = workflow;
  const graph = compileWorkflow({ nodes, edges } as WorkflowDocument, catalog);
  const surroundings: Surroundings = {
    now: ctx.now,
    uuid: () => randomUUID().replaceAll('-', ''),
    random: Math.random,
    timezone: ctx.config.TIMEZONE,
    values: {
      vars: {},
      global: (await run_secrets.globalVariables(user_id)).shown,
      credentials: await maskedCredentials(run_secrets, user_id, asked.expression),
      workflowName: workflow.name,
      workflowDescription: workflow.description ?? '',
      executionId: '',
    },
  };
  const selected_loop_iteration_index = asked.selected_loop_iteration_index ?? null;
  const { node_results, input_body, current_node_id: node_id } = asked;
  const { scope, selected_loop_total } = previewScope({
    ...surroundings,
    ...locateNode(graph, node_id),
    node_results: knownResults(
      graph,
      { node_id, node_results, input_body, selected_loop_iteration_index },
      surroundings,
    ),
    input_body: sampleInput(input_body)?.body,
    selected_loop_iteration_index,
  });
  const mode = resolveMode(node, asked.field_name);
  return preview({ expression: asked.expression, mode, scope, selected_loop_total });
}
