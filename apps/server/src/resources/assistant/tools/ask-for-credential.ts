import { GRAPH_LIMITS, type GraphNode } from '@millrace/contracts';
import { fieldMeta } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { z } from 'zod';
import { AppError, conflict } from '../../../core/app-error.ts';
import { findUsable } from '../../credentials/service.ts';
import { requireWorkflow } from '../../workflows/access.ts';
import { loadGraphs } from '../../workflows/service.ts';
import { defineTool, type Tool, type ToolWorld } from './tool.ts';

const input = z.object({
  node_id: z
    .string()
    .min(1)
    .max(GRAPH_LIMITS.id_length)
    .describe('Id of the node, on the canvas or in the workflow that was just proposed'),
  field: z.string().min(1).max(100).default('credentialId').describe('Its parameter for the credential'),
  reason: z.string().trim().min(1).max(300).describe('What it is needed for, in one sentence for the user'),
});

const badRequest = (message: string) => new AppError('bad_request', message);

const getNodeLabel = ({ id, data }: GraphNode): string => {
  const { label } = data as { label?: unknown };
  return typeof label === 'string' && label !== '' ? label : id;
};

function credentialFields(type: string): string[] {
  const shape: Record<string, z.ZodType> = catalog.get(type)?.params.shape ?? {};
  return Object.keys(shape).filter((name) => fieldMeta(shape[name] as z.ZodType)?.kind === 'credential');
}

/** @throws AppError `bad_request` that says what the model can name instead */
function requireField(nodes: readonly GraphNode[], node_id: string, field: string): GraphNode {
  const node = nodes.find(({ id }) => id === node_id);
  if (!node) throw badRequest(`There is no node with the id "${node_id}"`);
  const fields = credentialFields(node.type);
  if (fields.includes(field)) return node;
  throw badRequest(
    fields.length === 0
      ? `Nodes of type ${node.type} take no credential`
      : `"${field}" is no credential of ${node.type}; it has ${fields.join(', ')}`,
  );
}

/** The node as the draft has it, else as it is published. */
async function storedNode({ ctx }: ToolWorld, workflow_id: string, node_id: string) {
  const graphs = await loadGraphs(ctx.db, await requireWorkflow(ctx, workflow_id, 'edit'));
  return graphs.at(-1)?.nodes.find(({ id }) => id === node_id);
}

/**
 * Shows a card on which the person chooses or adds the credential of a node. What the model reads afterwards is its name and
 * type, never what it contains.
 *
 * @param canvas nodes that the person sees, with those of the newest proposal
 */
export const askForCredentialTool = (workflow_id: string, canvas: () => readonly GraphNode[]): Tool =>
  defineTool({
    name: 'ask_for_credential',
    label: 'Reads which credential was chosen',
    description:
      'Asks the user to choose or add the credential of one node, on a card. Call it when a node needs a credential, or when the service refused the one it has; after propose_workflow for a node that is new. The user never types a secret into the chat.',
    input,
    async propose({ ctx }, { node_id, field }) {
      await requireWorkflow(ctx, workflow_id, 'edit');
      return { summary: getNodeLabel(requireField(canvas(), node_id, field)) };
    },
    async use(world, { node_id, field }) {
      const node = await storedNode(world, workflow_id, node_id);
      if (!node) throw badRequest(`There is no node with the id "${node_id}" in the draft`);
      const id: unknown = node.data[field];
      if (typeof id !== 'string' || id === '')
        throw conflict(`No credential was chosen at "${getNodeLabel(node)}"`);
      const found = await findUsable(world.ctx, id);
      if (!found)
        throw conflict(`The credential at "${getNodeLabel(node)}" is gone or not shared with the user`);
      const { name, type } = found.credential;
      return { node: getNodeLabel(node), credential: { name, type } };
    },
  });
