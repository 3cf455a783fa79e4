import type { GraphNode, Received, workflowAssistant } from '@millrace/contracts';
import type { Json } from '@millrace/engine';
import type { ModelMessage } from '@millrace/models';
import { invalidField } from '../../core/app-error.ts';
import type { Context, Services } from '../../services.ts';
import { requireModel } from '../open-model.ts';
import { requireWorkflow } from '../workflows/access.ts';
import { markedData } from './conversation/data.ts';
import { takeConfirmation } from './conversation/decided.ts';
import { buildQuestion, instructions } from './conversation/messages.ts';
import { TURN_LIMITS } from './limits.ts';
import { askForCredentialTool } from './tools/ask-for-credential.ts';
import { NODE_TYPE_TOOLS } from './tools/node-types.ts';
import { type CurrentWorkflow, proposeTool } from './tools/propose-workflow.ts';
import { listTool, readRunTool } from './tools/read.ts';
import { failureTools, repairTools } from './tools/repair.ts';
import { withoutSecrets } from './tools/without-secrets.ts';
import type { PreparedTurn } from './turn.ts';

type Body = Received<typeof workflowAssistant>['body'];

const ROLE =
  'You are the assistant in the workflow editor of Millrace. Answer in the language of the user, briefly, in Markdown. ' +
  'A workflow is a graph: nodes {id, type, position, data} with a unique data.label, and edges {source, target, ' +
  'sourceHandle?, targetHandle?} between node ids. An expression reads the output of an earlier node by its label, as ' +
  '$label.field, and the input of the run as $input.body.field. Read about each type of node with your tools before you ' +
  'use it.';

const PROPOSES =
  'To build or change the workflow, call propose_workflow with the whole graph: keep ids and data of nodes that you do not ' +
  'change. The user sees the difference and accepts or rejects it; nothing is saved before. Ask a question instead when it is ' +
  'unclear what the user needs. Leave credentials empty: the user chooses them. The node execute ' +
  'may run workflows of available_workflows and of list_workflows, by their id.';

const REPAIRS =
  'When the user asks why the workflow fails, or asks to repair it, read the run with find_failed_run and say in one or two ' +
  'sentences what went wrong. Propose the repair with propose_workflow, and call try_draft with that run right after it. When ' +
  'the draft fails too, repair it again from what its run says. When a node lacks its credential, or the service refuses it, ' +
  'call ask_for_credential before try_draft; the user answers on a card. Never ask for a secret in the conversation.';

const ANSWERS = 'Only answer questions. You cannot change the workflow in this mode.';

function toCurrentWorkflow({ current_workflow }: Body): CurrentWorkflow | undefined {
  if (!current_workflow) return undefined;
  const { name, nodes, edges } = current_workflow;
  return { name: name ?? 'Workflow', nodes, edges };
}

/** The graph as the model reads it; hidden values are put back into a proposal. */
const shown = ({ name, nodes, edges }: CurrentWorkflow): Json => ({
  name,
  nodes: nodes.map((node) => ({ ...node, data: withoutSecrets(node.data as Json) })) as Json,
  edges: edges as Json,
});

/** @throws AppError `invalid_input` for a graph that the model could read only in part: its proposal would lack the rest */
function graphData(current: CurrentWorkflow | undefined): string | undefined {
  if (!current) return undefined;
  const graph = shown(current);
  const most = TURN_LIMITS.graph_characters;
  const { length } = JSON.stringify(graph);
  if (length <= most) return markedData('current_workflow', graph, Number.POSITIVE_INFINITY);
  throw invalidField(
    ['body', 'current_workflow'],
    `is too long for the assistant: ${length} characters, of at most ${most}; move a part of it into another workflow`,
  );
}

/** Workflows that the client offers as parts of this one. */
function offeredData({ available_workflows }: Body): string | undefined {
  if (!available_workflows || available_workflows.length === 0) return undefined;
  return markedData('available_workflows', withoutSecrets(available_workflows as Json));
}

/**
 * One turn of the assistant in the editor. Refuses what cannot begin.
 *
 * @param workflow_id whose runs are read and whose draft is run
 */
export async function prepareWorkflowAssistant(
  ctx: Context,
  services: Services,
  { body, workflow_id }: { body: Body; workflow_id: string | undefined },
): Promise<PreparedTurn> {
  const model = await requireModel(ctx, body);
  if (body.workflow_id) await requireWorkflow(ctx, body.workflow_id, 'read');
  const current = toCurrentWorkflow(body);
  const data = [offeredData(body), graphData(current)];
  let canvas: readonly GraphNode[] = current?.nodes ?? [];
  const credentials = workflow_id === undefined ? [] : [askForCredentialTool(workflow_id, () => canvas)];
  const changing = body.ask_mode ? [] : [...repairTools(workflow_id), ...credentials];
  const { confirmation } = body;
  const carryOut = await takeConfirmation(ctx, services, { confirmation, tools: changing });
  const tools = [...NODE_TYPE_TOOLS, listTool, readRunTool, ...failureTools(workflow_id)];
  const propose = proposeTool(current, (nodes) => {
    canvas = nodes;
  });
  const own = [ROLE, ...(body.ask_mode ? [ANSWERS] : [PROPOSES, workflow_id && REPAIRS])];
  return {
    model,
    source: 'workflow_assistant',
    system: instructions(
      own.filter((line) => line !== undefined),
      [],
    ),
    tools: body.ask_mode ? tools : [...tools, propose, ...changing],
    earlier: body.conversation_history,
    said: { text: body.message, attachment: undefined, decided: confirmation ?? undefined },
    question: async (world): Promise<ModelMessage> =>
      buildQuestion([...data, body.message, await carryOut(world)]),
  };
}
