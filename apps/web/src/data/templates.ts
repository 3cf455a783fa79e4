import {
  createTemplate,
  type GraphEdge,
  type GraphNode,
  listTemplates,
  type NodeTemplate,
  nodeTemplates,
  type ResponseOf,
  type WorkflowTemplate,
  workflowTemplates,
} from '@millrace/contracts';
import { api } from './api.ts';
import { useChange, useEndpoint } from './endpoint.ts';

export type Template = (WorkflowTemplate & { kind: 'workflow' }) | (NodeTemplate & { kind: 'node' });

/** The settings of a template that its author can change. */
export interface TemplateSettings
  extends Pick<Template, 'name' | 'tags' | 'visibility' | 'shared_with' | 'shared_with_teams'> {
  description: string;
}

const getEndpoints = (kind: Template['kind']) => (kind === 'workflow' ? workflowTemplates : nodeTemplates);

const mergeKinds = ({ workflow_templates, node_templates }: ResponseOf<typeof listTemplates>): Template[] =>
  [
    ...workflow_templates.map((template) => ({ ...template, kind: 'workflow' as const })),
    ...node_templates.map((template) => ({ ...template, kind: 'node' as const })),
  ].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));

/** Both kinds in one list, newest first. */
export const useTemplates = () => useEndpoint(listTemplates, {}, { select: mergeKinds });

const changed = { renews: [listTemplates] };

export const useCreateWorkflowTemplate = () =>
  useChange(
    (workflow: TemplateSettings & { nodes: GraphNode[]; edges: GraphEdge[] }) =>
      api(createTemplate, { body: { kind: 'workflow', workflow } }),
    changed,
  );

export const useUpdateTemplate = () =>
  useChange(
    ({ id, kind, body }: { id: string; kind: Template['kind']; body: TemplateSettings }) =>
      api(getEndpoints(kind).update, { params: { id }, body }),
    changed,
  );

export const useDeleteTemplate = () =>
  useChange(
    ({ id, kind }: Pick<Template, 'id' | 'kind'>) => api(getEndpoints(kind).remove, { params: { id } }),
    changed,
  );

/** Counts one use of a template. */
export const useCountUse = () =>
  useChange(
    ({ id, kind }: Pick<Template, 'id' | 'kind'>): Promise<unknown> =>
      kind === 'workflow'
        ? api(workflowTemplates.use, { params: { id } })
        : api(nodeTemplates.use, { params: { id } }),
    changed,
  );
