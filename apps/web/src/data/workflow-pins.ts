import { listWorkflowPins, pinWorkflow, unpinWorkflow } from '@millrace/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { endpointQuery } from './endpoint.ts';

const pinsQuery = endpointQuery(listWorkflowPins);
const { queryKey } = pinsQuery;

const NONE: readonly string[] = [];

/** Ids of the workflows that the person has pinned, newest pin first; empty until they are there. */
export const useWorkflowPins = (): readonly string[] => useQuery(pinsQuery).data?.workflow_ids ?? NONE;

/** Pins a workflow, or takes its pin away; shown at once and taken back when it fails. */
export function useTogglePin(onError: (error: Error) => void): (id: string) => void {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationKey: queryKey,
    // One after the other, so that the last click decides.
    scope: { id: 'workflow-pins' },
    mutationFn: ({ id, pin }: { id: string; pin: boolean }) =>
      api(pin ? pinWorkflow : unpinWorkflow, { params: { id } }),
    onMutate: async ({ id, pin }) => {
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, (before) => {
        const others = (before?.workflow_ids ?? []).filter((other) => other !== id);
        return { workflow_ids: pin ? [id, ...others] : others };
      });
    },
    onError,
    onSettled: () => {
      if (client.isMutating({ mutationKey: queryKey }) > 1) return;
      return client.invalidateQueries({ queryKey });
    },
  });
  return (id) => {
    const pinned = client.getQueryData(queryKey)?.workflow_ids ?? [];
    mutate({ id, pin: !pinned.includes(id) });
  };
}
