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
  publishWorkflow,
  readCostEstimate,
  readWorkflow,
  type Sent,
  updateWorkflow,
  type Workflow,
  type WorkflowSummary,
} from '@millrace/contracts';
import { type QueryClient, replaceEqualDeep, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { answersTo, callById, endpointQuery, renew, useChange, useEndpoint } from './endpoint.ts';
import { isNotFound } from './refusal.ts';

export const workflowListQuery = endpointQuery(listWorkflows);

export const useWorkflows = () => useQuery(workflowListQuery);

/** Everything that the web app shows, saves and makes is a draft until it is published. */
export const DRAFT = { draft: 'true' } as const;

/** A graph can be large: it is compared with the one that is there only where it can be another one. */
function keepGraph(known: unknown, read: unknown): unknown {
  const [before, now] = [known as Workflow | undefined, read as Workflow];
  if (before === undefined || before.updated_at !== now.updated_at) return replaceEqualDeep(known, read);
  return replaceEqualDeep(before, { ...now, nodes: before.nodes, edges: before.edges });
}

export const workflowQuery = (id: string) => ({
  ...endpointQuery(readWorkflow, { params: { id }, query: DRAFT }),
  structuralSharing: keepGraph,
});

/** A workflow as calls run it: its published version. */
export const usePublishedWorkflow = (id: string) => useEndpoint(readWorkflow, { params: { id } });

const DELETION_LOOK_MS = 2_000;

/** Deleted workflows whose runs are still being deleted; looked at again while there are any. */
export const useWorkflowDeletions = () =>
  useEndpoint(
    listWorkflowDeletions,
    {},
    { refetchInterval: ({ state }) => (state.data?.length ? DELETION_LOOK_MS : false) },
  );

/** Nodes of other workflows that call this one. */
export const workflowUsesQuery = (id: string) => endpointQuery(listWorkflowUses, { params: { id } });

export const useWorkflow = (id: string) => useQuery(workflowQuery(id));

const OPEN_LOOK_MS = 20_000;

/** The workflow of an open editor, which follows what others save, and their rights. */
export const useOpenWorkflow = (id: string) =>
  useQuery({
    ...workflowQuery(id),
    refetchInterval: ({ state }) => (isNotFound(state.error) ? false : OPEN_LOOK_MS),
  });

/** Changes a row of the cached list at once; the returned function takes the change back. */
export async function changeListed(
  client: QueryClient,
  id: string,
  part: Partial<WorkflowSummary>,
): Promise<() => void> {
  const { queryKey } = workflowListQuery;
  await client.cancelQueries({ queryKey });
  const before = client.getQueryData(queryKey);
  client.setQueryData(queryKey, (list) =>
    list?.map((workflow) => (workflow.id === id ? { ...workflow, ...part } : workflow)),
  );
  return () => client.setQueryData(queryKey, before);
}

const changed = { renews: [listWorkflows] };

interface NewWorkflow {
  name: string;
  description?: string;
  nodes?: readonly unknown[];
  edges?: readonly unknown[];
}

export const useCreateWorkflow = () =>
  useChange(
    ({ nodes, edges, ...body }: NewWorkflow) =>
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
    changed,
  );

/** The id that the service reads as "no workflow" where null would leave the setting as it is. */
export const NO_WORKFLOW = '00000000-0000-0000-0000-000000000000';

/** Properties of a workflow apart from its graph; what is absent stays. */
export type WorkflowChange = Omit<Sent<typeof updateWorkflow>['body'], 'nodes' | 'edges' | 'base_updated_at'>;

/** Keeps a draft as the server has saved it, until the list has it too; the estimate of its cost follows. */
export async function keepDraft(client: QueryClient, saved: Workflow): Promise<unknown> {
  const { queryKey } = workflowQuery(saved.id);
  // An answer on its way may be older, and would take the place of this one.
  await client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, saved);
  void renew(client, [answersTo(readCostEstimate, { params: { id: saved.id } })]);
  return renew(client, [listWorkflows]);
}

export function useUpdateWorkflow() {
  const client = useQueryClient();
  return useChange(
    ({ id, ...body }: WorkflowChange & { id: string }) =>
      api(updateWorkflow, { params: { id }, query: DRAFT, body }),
    {
      onSuccess: (saved) => keepDraft(client, saved),
    },
  );
}

/** Switches a workflow on or off. */
export const setActive = ({ id, active }: { id: string; active: boolean }) =>
  api(updateWorkflow, { params: { id }, query: DRAFT, body: { active } });

export const publishDraft = (id: string) => api(publishWorkflow, { params: { id }, body: {} });

export const removeWorkflow = callById(deleteWorkflow);

export const useDuplicateWorkflow = () =>
  useChange(
    ({ id }: { id: string }) => api(duplicateWorkflow, { params: { id }, query: DRAFT, body: {} }),
    changed,
  );

export function useDeleteWorkflow() {
  const client = useQueryClient();
  return useChange(callById(deleteWorkflow), {
    onSuccess: (_, id) => client.removeQueries({ queryKey: answersTo(readWorkflow, { params: { id } }) }),
    renews: [listWorkflows, listWorkflowDeletions],
  });
}

export const useImportWorkflow = () =>
  useChange(
    (body: { document: Record<string, unknown>; file_name: string }) =>
      api(importWorkflow, { query: DRAFT, body }),
    changed,
  );
