import {
  cancelEvalRun,
  createEvalSuite,
  createEvalTestCase,
  deleteEvalRun,
  deleteEvalSuite,
  deleteEvalTestCase,
  type EvalRunStatus,
  generateEvalTestData,
  listEvalRuns,
  listEvalSuites,
  optimizeEvalPrompt,
  readEvalResult,
  readEvalRun,
  readEvalSuite,
  type Sent,
  startEvalRun,
  updateEvalSuite,
  updateEvalTestCase,
} from '@millrace/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

/** How often a run that is under way is read again. */
const RUN_MS = 1_500;

export const isUnderWay = (status: EvalRunStatus): boolean => status === 'pending' || status === 'running';

export const useEvalSuites = () =>
  useQuery({ queryKey: keys.evals, queryFn: ({ signal }) => api(listEvalSuites, {}, { signal }) });

export const useEvalSuite = (id: string) =>
  useQuery({
    queryKey: keys.evalSuite(id),
    queryFn: ({ signal }) => api(readEvalSuite, { params: { id } }, { signal }),
  });

export const useEvalRuns = (id: string) =>
  useQuery({
    queryKey: keys.evalRuns(id),
    queryFn: ({ signal }) => api(listEvalRuns, { params: { id } }, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => isUnderWay(status)) === true ? RUN_MS : false,
  });

/** A run with its results, read again while it is under way. */
export const useEvalRun = (id: string) =>
  useQuery({
    queryKey: keys.evalRun(id),
    queryFn: ({ signal }) => api(readEvalRun, { params: { id } }, { signal }),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data.status) ? RUN_MS : false),
  });

/** @param state of the result as the list has it: a result that has changed since is read again */
export const useEvalResult = ({ run, id, state }: { run: string; id: string; state: string }) =>
  useQuery({
    queryKey: [...keys.evalRun(run), id, state],
    queryFn: ({ signal }) => api(readEvalResult, { params: { id: run, result_id: id } }, { signal }),
  });

/** Everything that is shown of evals, after one of them was changed. */
function useChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSuccess: () => client.invalidateQueries({ queryKey: keys.evals }) });
}

export const useCreateEvalSuite = () =>
  useChange((body: Sent<typeof createEvalSuite>['body']) => api(createEvalSuite, { body }));

export const useUpdateEvalSuite = (id: string) =>
  useChange((body: Sent<typeof updateEvalSuite>['body']) => api(updateEvalSuite, { params: { id }, body }));

export const useDeleteEvalSuite = () => useChange((id: string) => api(deleteEvalSuite, { params: { id } }));

type NewCase = Sent<typeof createEvalTestCase>['body'];

/** Adds test cases one after the other, so that they keep their order. */
export const useAddEvalTestCases = () =>
  useChange(async ({ id, cases }: { id: string; cases: readonly NewCase[] }) => {
    for (const body of cases) await api(createEvalTestCase, { params: { id }, body });
  });

export const useUpdateEvalTestCase = (id: string) =>
  useChange(({ case_id, ...body }: Sent<typeof updateEvalTestCase>['body'] & { case_id: string }) =>
    api(updateEvalTestCase, { params: { id, case_id }, body }),
  );

export const useDeleteEvalTestCase = (id: string) =>
  useChange((case_id: string) => api(deleteEvalTestCase, { params: { id, case_id } }));

export const useStartEvalRun = (id: string) =>
  useChange((body: Sent<typeof startEvalRun>['body']) => api(startEvalRun, { params: { id }, body }));

export const useCancelEvalRun = () => useChange((id: string) => api(cancelEvalRun, { params: { id } }));

export const useDeleteEvalRun = () => useChange((id: string) => api(deleteEvalRun, { params: { id } }));

/** Proposals of a model; the service stores none of them. */
export const useOptimizeEvalPrompt = (id: string) =>
  useMutation({
    mutationFn: (body: Sent<typeof optimizeEvalPrompt>['body']) =>
      api(optimizeEvalPrompt, { params: { id }, body }),
  });

export const useGenerateEvalTestData = (id: string) =>
  useMutation({
    mutationFn: (body: Sent<typeof generateEvalTestData>['body']) =>
      api(generateEvalTestData, { params: { id }, body }),
  });
