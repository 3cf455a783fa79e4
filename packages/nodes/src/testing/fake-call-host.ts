import {
  type Decision,
  type JsonObject,
  NodeFailure,
  type NodeResult,
  type NodeTask,
  type StepsHost,
  type StoredStep,
} from '@millrace/engine';
import type { NodeImplementation } from '../implement.ts';
import { type CallHost, TaskCall } from '../task-call.ts';
import { fakeServices, type Outside, TEST_NOW, type Trace } from './fake-services.ts';

/** How waits are decided, by their names; others by the clock. `none`: nothing is decided. */
export type Decided = Readonly<Record<string, Pick<Decision, 'decision' | 'data'>>> | 'none';

/** A test's settings for the run around its nodes. */
export interface CallSituation extends Outside {
  decisions?: Decided;
  signal?: AbortSignal;
  /** Gets the data that the node shows to those who follow the run. */
  onProgress?: (data: JsonObject) => void;
}

export interface FakeCallHost {
  readonly trace: Trace;
  readonly situation: CallSituation;
  readonly implementationFor: (task: NodeTask) => NodeImplementation;
  /** Recorded facts of a node in the order in which they came to be; new ones are added. */
  readonly bookFor?: (task: NodeTask) => StoredStep[];
}

/** Calls a node as a run does, with the same constructor, on behalf of a run that notes what happens. */
export function callNode(host: CallHost, task: NodeTask): NodeResult | Promise<NodeResult> {
  const implementation = host.implementationFor(task);
  const call = new TaskCall(host, task, task.started_at_ms);
  const run = () => implementation.run(call);
  return task.node.effect === 'steps' ? call.runSteps(run) : run();
}

/** The run of a test: notes what its nodes do and decides what they wait for. */
export function fakeCallHost({
  trace,
  situation,
  implementationFor,
  bookFor = () => [],
}: FakeCallHost): CallHost {
  const { decisions = {}, signal = new AbortController().signal, onProgress } = situation;
  return {
    signal,
    implementationFor,
    servicesFor: () => fakeServices(trace, situation),
    idempotencyKeyFor: ({ node, iteration }) => `run-1:${node.id}:${iteration}`,
    stepsFor: (task) => fakeSteps(trace, { decisions, attempt: task.attempt, book: bookFor(task) }),
    began: () => undefined,
    ended: () => undefined,
    addressFor: (_task, key, door) => `https://test/${door}s/${key}`,
    showProgress: (_task, data) => onProgress?.(data),
    growingText: (_task, step) => ({
      add: (piece) => trace.texts.push({ step, piece }),
      restart: () => trace.texts.push({ step, piece: null }),
      end: () => undefined,
    }),
  };
}

function decisionFor(decisions: Decided, key: string): Decision | undefined {
  if (decisions === 'none') return undefined;
  const { decision, data } = decisions[key] ?? { decision: 'timed_out', data: null };
  return { decision, data, decided_at_ms: TEST_NOW };
}

interface Book {
  readonly decisions: Decided;
  readonly attempt: number;
  readonly book: StoredStep[];
}

/** Steps of one attempt of one node. */
function fakeSteps(trace: Trace, { decisions, attempt, book }: Book): StepsHost {
  return {
    recorded: (key) => book.filter((fact) => fact.key === key),
    decided: (key) => decisionFor(decisions, key),
    run: async (key, _effect, work) => {
      trace.steps.push(key);
      try {
        const output = (await work()) ?? null;
        book.push({ key, attempt, status: 'success', output });
        return output;
      } catch (error) {
        if (error instanceof NodeFailure) {
          const { failure } = error;
          book.push({ key, attempt, status: 'error', output: { error: failure.message }, failure });
        }
        throw error;
      }
    },
    open: async (key, request) => void trace.waits.push({ key, ...request }),
    whenIdle: (look) => void setImmediate(look),
    attempt,
  };
}
