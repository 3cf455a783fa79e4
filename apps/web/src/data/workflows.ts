import {
  createWorkflow,
  deleteWorkflow,
  duplicateWorkflow,
  type GraphEdge,
  type GraphNode,
  importWorkflow,
  listWorkflowDeletions,
  listWorkflows,
  listWorkflowUses,
  readWorkflow,
  type Sent,
  updateWorkflow,
  type Workflow,
  type WorkflowSummary,
} from '@millrace/contracts';
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

export const workflowListQuery = queryOptions({
  queryKey: keys.workflowList,
  queryFn: ({ signal }) => api(listWorkflows, {}, { signal }),
});

export const useWorkflows = () => useQuery(workflowListQuery);

/** Everything that the web app shows, saves and makes is a draft until it is published. */
export const DRAFT = { draft: 'true' } as const;

export const workflowQuery = (id: string) =>
  queryOptions({
    queryKey: keys.workflow(id),
    queryFn: ({ signal }): Promise<Workflow> =>
      api(readWorkflow, { params: { id }, query: DRAFT }, { signal }),
  });

/** A workflow as calls run it: its published version. */
export const publishedWorkflowQuery = (id: string) =>
  queryOptions({
    queryKey: keys.publishedWorkflow(id),
    queryFn: ({ signal }): Promise<Workflow> => api(readWorkflow, { params: { id } }, { signal }),
  });

const DELETION_LOOK_MS = 2_000;

/** Deleted workflows whose runs are still being deleted; looked at again while there are any. */
export const useWorkflowDeletions = () =>
  useQuery({
    queryKey: keys.workflowDeletions,
    queryFn: ({ signal }) => api(listWorkflowDeletions, {}, { signal }),
    refetchInterval: ({ state }) => (state.data?.length ? DELETION_LOOK_MS : false),
  });

/** Nodes of other workflows that call this one. */
export const workflowUsesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.workflowUses(id),
    queryFn: ({ signal }) => api(listWorkflowUses, { params: { id } }, { signal }),
  });

export const useWorkflow = (id: string) => useQuery(workflowQuery(id));

/** Changes a row of the cached list at once; the returned function takes the change back. */
export async function changeListed(
  client: QueryClient,
  id: string,
  part: Partial<WorkflowSummary>,
): Promise<() => void> {
  await client.cancelQueries({ queryKey: keys.workflowList });
  const before = client.getQueryData(workflowListQuery.queryKey);
  client.setQueryData(workflowListQuery.queryKey, (list) =>
    list?.map((workflow) => (workflow.id === id ? { ...workflow, ...part } : workflow)),
  );
  return () => client.setQueryData(workflowListQuery.queryKey, before);
}

const renewList = (client: QueryClient) => client.invalidateQueries({ queryKey: keys.workflowList });

interface NewWorkflow {
  name: string;
  description?: string;
  nodes?: readonly unknown[];
  edges?: readonly unknown[];
}

export function useCreateWorkflow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ nodes, edges, ...body }: NewWorkflow) =>
      api(createWorkflow, {
        query: DRAFT,
        // In new workflows an unresolved reference is an error, not text to show.
        body: {
          strict_references: true,
          ...body,
          nodes: nodes as GraphNode[] | undefined,
          edges: edges as GraphEdge[] | undefined,
        },
      }),
    onSuccess: () => renewList(client),
  });
}

/** The id that the service reads as "no workflow" where null would leave the setting as it is. */
export const NO_WORKFLOW = '00000000-0000-0000-0000-000000000000';

/** Properties of a workflow apart from its graph; what is absent stays. */
export type WorkflowChange = Omit<Sent<typeof updateWorkflow>['body'], 'nodes' | 'edges' | 'base_updated_at'>;

export function useUpdateWorkflow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: WorkflowChange & { id: string }) =>
      api(updateWorkflow, { params: { id }, query: DRAFT, body }),
    onSuccess: (saved) => {
      client.setQueryData<Workflow>(keys.workflow(saved.id), saved);
      void client.invalidateQueries({ queryKey: keys.costEstimate(saved.id) });
      return renewList(client);
    },
  });
}

export function useDuplicateWorkflow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: { id: string }) =>
      api(duplicateWorkflow, { params: { id }, query: DRAFT, body: {} }),
    onSuccess: () => renewList(client),
  });
}

export function useDeleteWorkflow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api(deleteWorkflow, { params: { id } }),
    onSuccess: (_, id) => {
      client.removeQueries({ queryKey: keys.workflow(id) });
      void client.invalidateQueries({ queryKey: keys.workflowDeletions });
      return renewList(client);
    },
  });
}

export function useImportWorkflow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { document: Record<string, unknown>; file_name: string }) =>
      api(importWorkflow, { query: DRAFT, body }),
    onSuccess: () => renewList(client),
  });
}
