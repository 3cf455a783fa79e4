import { attachToExecution, cancelExecution, streamWorkflow } from '@millrace/contracts';
import { buildEndpointUrl, readApiError } from '@millrace/contracts/client';
import type { Json } from '@millrace/engine';
import { api, sessionFetch } from '../../data/api.ts';
import { type Frame, readFrames } from '../../lib/run/event-frames.ts';
import type { RunStore, StreamEvent } from './run-store.ts';

const RETRY_MS = [300, 1_000, 2_000, 4_000] as const;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The message of a response that is no success, in the words of the server. */
export const readRefusal = async (response: Response): Promise<string> =>
  (await readApiError(response)).message;

/**
 * Hands on what has come since the screen was last drawn: hundreds of nodes that begin and end in a moment would each draw the
 * canvas. Browsers draw nothing of a page that is not seen; there it is handed on as it comes.
 */
function oncePerFrame(handOn: (frames: readonly Frame<StreamEvent>[]) => void) {
  let waiting: Frame<StreamEvent>[] = [];
  let frame: number | undefined;
  const flush = () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
    const frames = waiting;
    waiting = [];
    if (frames.length > 0) handOn(frames);
  };
  return {
    flush,
    add(next: Frame<StreamEvent>) {
      waiting.push(next);
      if (document.hidden) flush();
      else frame ??= requestAnimationFrame(flush);
    },
  };
}

/** Follows a stream to its end; true when the run's end was seen. */
async function follow(response: Response, run: RunStore): Promise<boolean> {
  if (!response.body) return false;
  const { add, flush } = oncePerFrame((frames) => run.getState().receiveAll(frames));
  try {
    for await (const frame of readFrames<StreamEvent>(response.body)) {
      add(frame);
      if (frame.event.type === 'execution_complete') return true;
    }
    return false;
  } finally {
    flush();
  }
}

/** Resumes a dropped stream after its last frame, as long as the run may still be in progress. */
async function reattach(workflow_id: string, run: RunStore, signal: AbortSignal): Promise<boolean> {
  for (const wait of RETRY_MS) {
    const { execution_id, last_event_id } = run.getState();
    if (!execution_id || signal.aborted) return false;
    await pause(wait);
    const address = buildEndpointUrl(attachToExecution, {
      params: { id: workflow_id, execution_id },
      query: { node_progress: 'true', tokens: 'true' },
    });
    const headers = {
      accept: 'text/event-stream',
      ...(last_event_id ? { 'last-event-id': last_event_id } : {}),
    };
    const response = await sessionFetch(address, { headers, signal }).catch(() => undefined);
    if (response?.ok && (await follow(response, run).catch(() => false))) return true;
  }
  return false;
}

export interface RunRequest {
  workflow_id: string;
  input: Json;
  /** Uses pinned data and skips verb, cache and limits. */
  test_run: boolean;
  /** The editor runs the draft, the quick drawer what is published (§6.3). */
  trigger_source: 'Canvas' | 'Quick Drawer';
  /** Id of the node at which a run of the draft is to end. */
  until?: string;
  signal: AbortSignal;
}

/**
 * Runs a workflow, and shows the run. The run does not depend on this page: when the stream drops, it
 * is picked up again without a gap.
 *
 * @returns why it could not start; undefined when it did.
 */
export async function startRun(run: RunStore, request: RunRequest): Promise<string | undefined> {
  run.getState().begin();
  const address = buildEndpointUrl(streamWorkflow, {
    params: { workflow_id: request.workflow_id },
    query: {
      event_ids: 'true',
      node_progress: 'true',
      tokens: 'true',
      ...(request.test_run ? { test_run: 'true' } : {}),
    },
  });
  try {
    const response = await sessionFetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'x-trigger-source': request.trigger_source,
        ...(request.trigger_source === 'Canvas' ? { 'x-run-draft': 'true' } : {}),
        ...(request.until === undefined ? {} : { 'x-run-until': encodeURIComponent(request.until) }),
      },
      body: JSON.stringify({ inputs: request.input }),
      signal: request.signal,
    });
    if (!response.ok) {
      run.getState().setPhase('idle');
      return await readRefusal(response);
    }
    const ended = (await follow(response, run)) || (await reattach(request.workflow_id, run, request.signal));
    if (!ended) run.getState().setPhase('lost');
    return undefined;
  } catch (error) {
    if (request.signal.aborted) return undefined;
    const ended = await reattach(request.workflow_id, run, request.signal);
    if (ended) return undefined;
    run.getState().setPhase(run.getState().execution_id ? 'lost' : 'idle');
    return run.getState().execution_id ? undefined : error instanceof Error ? error.message : String(error);
  }
}

/** Shows a run in progress from its first frame, and follows it to its end. */
export async function attachRun(
  run: RunStore,
  { workflow_id, execution_id, signal }: { workflow_id: string; execution_id: string; signal: AbortSignal },
): Promise<void> {
  run.getState().begin();
  run.getState().receive({ type: 'execution_started', execution_id, server_now_ms: Date.now() });
  if (await reattach(workflow_id, run, signal)) return;
  if (!signal.aborted) run.getState().setPhase('lost');
}

/** The id of the run, as soon as the server has said it; undefined when the run did not start. */
function startedId(run: RunStore): Promise<string | undefined> {
  return new Promise((resolve) => {
    const look = ({ execution_id, phase }: { execution_id: string | undefined; phase: string }) => {
      if (!execution_id && phase !== 'idle' && phase !== 'ended') return;
      stop();
      resolve(execution_id);
    };
    const stop = run.subscribe(look);
    look(run.getState());
  });
}

/** Stops the run and everything that it started; also one that waits, or that has not said yet which it is. */
export async function stopRun(run: RunStore, workflow_id: string): Promise<void> {
  const waits = run.getState().phase === 'ended';
  run.getState().setPhase('stopping');
  const execution_id = run.getState().execution_id ?? (await startedId(run));
  if (!execution_id || run.getState().phase === 'ended') return;
  run.getState().setPhase('stopping');
  try {
    await api(cancelExecution, { params: { id: workflow_id, execution_id } });
  } catch (error) {
    // The run continues, so stopping can be tried again.
    if (run.getState().phase === 'stopping') run.getState().setPhase(waits ? 'ended' : 'running');
    throw error;
  }
  // The stream of a run that waits is over; its end is read from a new one.
  if (waits) await attachRun(run, { workflow_id, execution_id, signal: new AbortController().signal });
}
