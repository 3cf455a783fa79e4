import type { PortalCall } from '@millrace/contracts';
import { answerText } from '@millrace/contracts/portal-text';
import { readFrames } from '../../lib/event-frames.ts';
import { ApiError, type Door, openFollowed, openStream } from '../portal/requests.ts';

import type { Answer, Step } from './message.ts';
import { reviewsOf } from './reviews.ts';

/** An event of a run (§6.1); which fields it has depends on `type`. */
interface PortalEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

type Change = Partial<Omit<Answer, 'id' | 'role'>>;

export interface Watcher {
  /** Shows a change of the answer. */
  readonly change: (change: Change | ((answer: Answer) => Change)) => void;
  /** Aborted when the answer is no longer wanted on this page. */
  readonly signal: AbortSignal;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function withStarted(steps: readonly Step[], { node_id, node_label }: PortalEvent): Step[] {
  const started = { node_id: text(node_id), label: text(node_label), is_done: false };
  // A node that runs again, in a loop, is one step.
  return [...steps.filter((step) => step.node_id !== started.node_id), started];
}

const withDone = (steps: readonly Step[], { node_id }: PortalEvent): Step[] =>
  steps.map((step) => (step.node_id === node_id ? { ...step, is_done: true } : step));

/** The end of a run as the end of an answer. */
export function ended(status: unknown, outputs: unknown): Change {
  switch (status) {
    case 'success':
    case 'cached':
      return { state: 'done', text: answerText(outputs) };
    case 'pending':
      return { state: 'waiting', text: '', reviews: reviewsOf(outputs) };
    case 'cancelled':
      return { state: 'stopped' };
    default: {
      const { error } = (outputs ?? {}) as { error?: unknown };
      return { state: 'failed', problem: { kind: 'failed', detail: text(error) } };
    }
  }
}

/** The early answer stays when the end brings nothing more. */
const afterEarly = ({ text: early }: Answer, end: Change): Change =>
  end.text ? end : { ...end, text: early };

/** True when the event is the last one. */
function show(event: PortalEvent, { change }: Watcher): boolean {
  switch (event.type) {
    case 'execution_started':
      change({ state: 'working', execution_id: text(event['execution_id']), steps: [] });
      return false;
    case 'node_start':
      change(({ steps }) => ({ steps: withStarted(steps, event) }));
      return false;
    case 'node_complete':
      change(({ steps }) => ({ steps: withDone(steps, event) }));
      return false;
    case 'final_output':
      change({ text: answerText({ [text(event['node_label'])]: event['output'] }) });
      return false;
    case 'execution_complete':
      change((answer) => afterEarly(answer, ended(event['status'], event['outputs'])));
      return true;
    default:
      return false;
  }
}

async function showAll(response: Response, watcher: Watcher): Promise<boolean> {
  if (!response.body) return false;
  for await (const { event } of readFrames<PortalEvent>(response.body)) {
    if (watcher.signal.aborted) return true;
    if (show(event, watcher)) return true;
  }
  return false;
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
const TRIES = 10;

/** Until the time is over or the device is online again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(go, ms);
    function go() {
      clearTimeout(timer);
      globalThis.removeEventListener?.('online', go);
      resolve();
    }
    globalThis.addEventListener?.('online', go, { once: true });
    signal.addEventListener('abort', go, { once: true });
  });
}

/**
 * Follows a run to its end. A lost connection is taken up again: the server repeats the run from its start, so nothing is
 * missing and nothing is there twice.
 *
 * @throws ApiError when the server says no; Error when it cannot be reached any more
 */
export async function followToEnd(door: Door, execution_id: string, watcher: Watcher): Promise<void> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    try {
      if (await showAll(await openFollowed(door, execution_id), watcher)) return;
    } catch (error) {
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
    }
    if (watcher.signal.aborted) return;
    watcher.change({ state: 'reconnecting' });
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** tried, MAX_PAUSE_MS), watcher.signal);
    if (watcher.signal.aborted) return;
  }
  throw new Error('the connection to the run was lost');
}

/** Starts a run and follows it to its end. Errors as `followToEnd`; nothing was started when it could not be reached. */
export async function runToEnd(door: Door, call: PortalCall, watcher: Watcher): Promise<void> {
  const response = await openStream(door, call);
  const execution_id = response.headers.get('x-execution-id');
  if (execution_id !== null) watcher.change({ execution_id });
  try {
    if (await showAll(response, watcher)) return;
  } catch (error) {
    if (execution_id === null) throw error;
  }
  if (execution_id === null) throw new Error('the connection to the run was lost');
  if (watcher.signal.aborted) return;
  watcher.change({ state: 'reconnecting' });
  await followToEnd(door, execution_id, watcher);
}
