import {
  createTemplate,
  type GraphEdge,
  type GraphNode,
  listTemplates,
  type NodeTemplate,
  nodeTemplates,
  type WorkflowTemplate,
  workflowTemplates,
} from '@millrace/contracts';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

export type Template = (WorkflowTemplate & { kind: 'workflow' }) | (NodeTemplate & { kind: 'node' });

/** The settings of a template that its author can change. */
export interface TemplateSettings
  extends Pick<Template, 'name' | 'tags' | 'visibility' | 'shared_with' | 'shared_with_teams'> {
  description: string;
}

const getEndpoints = (kind: Template['kind']) => (kind === 'workflow' ? workflowTemplates : nodeTemplates);

/** Both kinds in one list, newest first. */
export const useTemplates = () =>
  useQuery({
    queryKey: keys.templates,
    queryFn: async ({ signal }): Promise<Template[]> => {
      const found = await api(listTemplates, {}, { signal });
      const workflows = found.workflow_templates.map((template) => ({
        ...template,
        kind: 'workflow' as const,
      }));
      const nodes = found.node_templates.map((template) => ({ ...template, kind: 'node' as const }));
      return [...workflows, ...nodes].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
    },
  });

const renew = (client: QueryClient) => client.invalidateQueries({ queryKey: keys.templates });

export function useCreateWorkflowTemplate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (workflow: TemplateSettings & { nodes: GraphNode[]; edges: GraphEdge[] }) =>
      api(createTemplate, { body: { kind: 'workflow', workflow } }),
    onSuccess: () => renew(client),
  });
}

export function useUpdateTemplate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, kind, body }: { id: string; kind: Template['kind']; body: TemplateSettings }) =>
      api(getEndpoints(kind).update, { params: { id }, body }),
    onSuccess: () => renew(client),
  });
}

export function useDeleteTemplate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, kind }: Pick<Template, 'id' | 'kind'>) =>
      api(getEndpoints(kind).remove, { params: { id } }),
    onSuccess: () => renew(client),
  });
}

/** Counts one use of a template. */
export function useCountUse() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, kind }: Pick<Template, 'id' | 'kind'>): Promise<unknown> =>
      kind === 'workflow'
        ? api(workflowTemplates.use, { params: { id } })
        : api(nodeTemplates.use, { params: { id } }),
    onSuccess: () => renew(client),
  });
}
