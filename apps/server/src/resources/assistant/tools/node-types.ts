import { describe } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { z } from 'zod';
import { notFound } from '../../../core/app-error.ts';
import { defineTool, type Tool } from './tool.ts';

const listNodeTypes = defineTool({
  name: 'list_node_types',
  label: 'Reads the catalogue of nodes',
  description: 'Every type of node that a workflow can have, with what it does.',
  input: z.object({}),
  use: () =>
    Promise.resolve(
      catalog.all.map(({ type, title, family, summary }) => ({ type, title, family, summary })),
    ),
});

const describeNodeType = defineTool({
  name: 'describe_node_type',
  label: 'Reads about a node',
  description: 'Parameters, handles and JSON Schema of one type of node. Read it before you write its data.',
  input: z.object({ type: z.string().max(100) }),
  use: (_world, { type }) => {
    const definition = catalog.get(type);
    if (!definition) throw notFound(`Node type "${type}"`);
    const { title, summary, family, ports, credentials, initial, stored_schema } = describe(definition);
    return Promise.resolve({ type, title, summary, family, ports, credentials, initial, stored_schema });
  },
});

export const NODE_TYPE_TOOLS: readonly Tool[] = [listNodeTypes, describeNodeType];
