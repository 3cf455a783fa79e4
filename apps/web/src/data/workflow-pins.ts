import { listWorkflowPins, pinWorkflow, unpinWorkflow, type WorkflowPins } from '@millrace/contracts';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

const pinsQuery = queryOptions({
  queryKey: keys.workflowPins,
  queryFn: ({ signal }) => api(listWorkflowPins, {}, { signal }),
});

const NONE: readonly string[] = [];

/** Ids of the workflows that the person has pinned, newest pin first; empty until they are there. */
export const useWorkflowPins = (): readonly string[] => useQuery(pinsQuery).data?.workflow_ids ?? NONE;

/** Pins a workflow, or takes its pin away; shown at once and taken back when it fails. */
export function useTogglePin(onError: (error: Error) => void): (id: string) => void {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationKey: keys.workflowPins,
    // One after the other, so that the last click decides.
    scope: { id: 'workflow-pins' },
    mutationFn: ({ id, pin }: { id: string; pin: boolean }) =>
      api(pin ? pinWorkflow : unpinWorkflow, { params: { id } }),
    onMutate: async ({ id, pin }) => {
      await client.cancelQueries({ queryKey: keys.workflowPins });
      client.setQueryData<WorkflowPins>(keys.workflowPins, (before) => {
        const others = (before?.workflow_ids ?? []).filter((other) => other !== id);
        return { workflow_ids: pin ? [id, ...others] : others };
      });
    },
    onError,
    onSettled: () => {
      if (client.isMutating({ mutationKey: keys.workflowPins }) > 1) return;
      return client.invalidateQueries({ queryKey: keys.workflowPins });
    },
  });
  return (id) => {
    const pinned = client.getQueryData<WorkflowPins>(keys.workflowPins)?.workflow_ids ?? [];
    mutate({ id, pin: !pinned.includes(id) });
  };
}
