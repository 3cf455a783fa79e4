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
import { api } from './api.ts';
import { callById, useChange, useEndpoint, useEndpointChange } from './endpoint.ts';

/** How often a run that is under way is read again. */
const RUN_MS = 1_500;

export const isUnderWay = (status: EvalRunStatus): boolean => status === 'pending' || status === 'running';

export const useEvalSuites = () => useEndpoint(listEvalSuites);

export const useEvalSuite = (id: string) => useEndpoint(readEvalSuite, { params: { id } });

export const useEvalRuns = (id: string) =>
  useEndpoint(
    listEvalRuns,
    { params: { id } },
    {
      refetchInterval: ({ state }) =>
        state.data?.some(({ status }) => isUnderWay(status)) === true ? RUN_MS : false,
    },
  );

/** A run with its results, read again while it is under way. */
export const useEvalRun = (id: string) =>
  useEndpoint(
    readEvalRun,
    { params: { id } },
    { refetchInterval: ({ state }) => (state.data && isUnderWay(state.data.status) ? RUN_MS : false) },
  );

/** @param state of the result as the list has it: a result that has changed since is read again */
export const useEvalResult = ({ run, id, state }: { run: string; id: string; state: string }) =>
  useEndpoint(readEvalResult, { params: { id: run, result_id: id } }, { edition: state });

/** Everything that is shown of evals. */
const changed = { renews: [listEvalSuites, readEvalSuite, listEvalRuns, readEvalRun, readEvalResult] };

export const useCreateEvalSuite = () => useEndpointChange(createEvalSuite, changed);

export const useUpdateEvalSuite = () => useEndpointChange(updateEvalSuite, changed);

export const useDeleteEvalSuite = () => useChange(callById(deleteEvalSuite), changed);

type NewCase = Sent<typeof createEvalTestCase>['body'];

/** Adds test cases one after the other, so that they keep their order. */
export const useAddEvalTestCases = () =>
  useChange(async ({ id, cases }: { id: string; cases: readonly NewCase[] }) => {
    for (const body of cases) await api(createEvalTestCase, { params: { id }, body });
  }, changed);

export const useUpdateEvalTestCase = () => useEndpointChange(updateEvalTestCase, changed);

export const useDeleteEvalTestCase = () => useEndpointChange(deleteEvalTestCase, changed);

export const useStartEvalRun = () => useEndpointChange(startEvalRun, changed);

export const useCancelEvalRun = () => useChange(callById(cancelEvalRun), changed);

export const useDeleteEvalRun = () => useChange(callById(deleteEvalRun), changed);

/** Proposals of a model; the service stores none of them. */
export const useOptimizeEvalPrompt = () => useEndpointChange(optimizeEvalPrompt);

export const useGenerateEvalTestData = () => useEndpointChange(generateEvalTestData);
