import type { PortalCall, PortalTurn } from '@millrace/contracts';
import { answerText } from '@millrace/contracts/portal-text';
import { readText } from '@millrace/engine/json';
import { readFrames } from '../../lib/run/event-frames.ts';
import { type GrowingText, withoutNode, withToken } from '../../lib/run/growing-texts.ts';
import { ApiError, type Door, openFollowed, openStream, readConversation } from '../portal/requests.ts';
import { type Answer, type Step, writtenText } from './message.ts';
import { collectReviews } from './reviews.ts';

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

function withStarted(steps: readonly Step[], { node_id, node_label, message }: PortalEvent): Step[] {
  const is_message = readText(message) !== '';
  const label = is_message ? readText(message) : readText(node_label);
  const started = { node_id: readText(node_id), label, is_message, is_done: false };
  // A node that runs again, in a loop, is one step.
  return [...steps.filter((step) => step.node_id !== started.node_id), started];
}

/** An agent writes one text after another: the newest takes the place of the ones before. */
function withWritten(writing: readonly GrowingText[], event: PortalEvent): readonly GrowingText[] {
  const texts = withToken(writing, event);
  const newest = texts.at(-1);
  return newest && texts.length > writing.length
    ? texts.filter((one) => one === newest || one.node_id !== newest.node_id)
    : texts;
}

const withDone = (steps: readonly Step[], { node_id }: PortalEvent): Step[] =>
  steps.map((step) => (step.node_id === node_id ? { ...step, is_done: true } : step));

export const isUnderWay = ({ status }: Pick<PortalTurn, 'status'>): boolean =>
  status === 'running' || status === 'queued';

/** The end of a run as the end of an answer. */
export function ended(status: unknown, outputs: unknown): Change {
  switch (status) {
    case 'success':
    case 'cached':
      return { state: 'done', text: answerText(outputs) };
    case 'pending':
      return { state: 'waiting', text: '', reviews: collectReviews(outputs) };
    case 'cancelled':
      return { state: 'stopped' };
    default: {
      const { error } = (outputs ?? {}) as { error?: unknown };
      return { state: 'failed', problem: { kind: 'failed', detail: readText(error) } };
    }
  }
}

/** The early answer stays when the end brings nothing more, and what was written when it was stopped. */
function afterEarly(answer: Answer, end: Change): Change {
  const early = end.state === 'stopped' ? writtenText(answer) : answer.text;
  return { ...end, text: end.text || early, writing: [] };
}

/** True when the event is the last one. */
function show(event: PortalEvent, { change }: Watcher): boolean {
  switch (event.type) {
    case 'execution_started':
      change({ state: 'working', execution_id: readText(event['execution_id']), steps: [], writing: [] });
      return false;
    case 'node_start':
      change(({ steps }) => ({ steps: withStarted(steps, event) }));
      return false;
    case 'node_complete':
      change(({ steps, writing = [] }) => ({
        steps: withDone(steps, event),
        // Text that a node has written before it failed is not the answer.
        writing: event['status'] === 'success' ? writing : withoutNode(writing, readText(event['node_id'])),
      }));
      return false;
    case 'node_token':
      change(({ writing = [] }) => ({ writing: withWritten(writing, event) }));
      return false;
    case 'final_output':
      change({ text: answerText({ [readText(event['node_label'])]: event['output'] }) });
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
      signal.removeEventListener('abort', go);
      resolve();
    }
    globalThis.addEventListener?.('online', go, { once: true });
    signal.addEventListener('abort', go, { once: true });
  });
}

/** Another try would have the same answer. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.status !== 429;

const nextTry = (tried: number, signal: AbortSignal): Promise<void> =>
  pause(Math.min(FIRST_PAUSE_MS * 2 ** tried, MAX_PAUSE_MS), signal);

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
      if (isRefusal(error)) throw error;
    }
    if (watcher.signal.aborted) return;
    watcher.change({ state: 'reconnecting' });
    await nextTry(tried, watcher.signal);
    if (watcher.signal.aborted) return;
  }
  throw new Error('the connection to the run was lost');
}

/** A pause between two looks at a run that no stream shows; longer the longer it takes. */
const lookPause = (looks: number): number => Math.min(LOOK_MS * 1.5 ** looks, MAX_LOOK_MS);
const LOOK_MS = 1_000;
const MAX_LOOK_MS = 10_000;

interface Place {
  readonly conversation_id: string;
  readonly execution_id: string;
}

/** The turn of a run in its stored conversation; undefined when there is none. */
async function loadTurn(
  door: Door,
  { conversation_id, execution_id }: Place,
): Promise<PortalTurn | undefined> {
  const { turns } = await readConversation(door, conversation_id);
  return turns.find((turn) => turn.execution_id === execution_id);
}

/** The turn of the last message of a stored conversation; undefined when there is none. */
export const lastTurn = async (door: Door, conversation_id: string): Promise<PortalTurn | undefined> =>
  (await readConversation(door, conversation_id)).turns.at(-1);

/** `lastTurn`, tried again while the server cannot be reached, which is likely where an answer was lost on the way. */
export async function lastTurnWhenBack(
  door: Door,
  conversation_id: string,
  signal: AbortSignal,
): Promise<PortalTurn | undefined> {
  for (let tried = 0; ; tried += 1) {
    try {
      return await lastTurn(door, conversation_id);
    } catch (error) {
      if (isRefusal(error) || tried >= TRIES) throw error;
    }
    await nextTry(tried, signal);
    if (signal.aborted) return undefined;
  }
}

/**
 * Looks at the stored conversation until the run has ended or is paused, for portals without streams.
 *
 * @throws ApiError when the server says no; Error when it cannot be reached any more
 */
export async function lookToEnd(door: Door, place: Place, watcher: Watcher): Promise<void> {
  let failures = 0;
  for (let looks = 0; !watcher.signal.aborted; looks += 1) {
    try {
      const turn = await loadTurn(door, place);
      if (watcher.signal.aborted) return;
      if (!turn) throw new ApiError(404, 'the run is gone');
      failures = 0;
      const { execution_id } = turn;
      if (!isUnderWay(turn)) return watcher.change({ execution_id, ...ended(turn.status, turn.outputs) });
      watcher.change({ state: 'working', execution_id });
    } catch (error) {
      if (isRefusal(error)) throw error;
      failures += 1;
      if (failures > TRIES) throw new Error('the connection to the run was lost', { cause: error });
      watcher.change({ state: 'reconnecting' });
    }
    await pause(lookPause(looks), watcher.signal);
  }
}

/**
 * Waits until a run that asks for a review continues, wherever it is decided. False when the page leaves it, and when it is
 * no longer in the conversation.
 */
export async function untilDecided(door: Door, place: Place, signal: AbortSignal): Promise<boolean> {
  for (let looks = 0; !signal.aborted; looks += 1) {
    await pause(REVIEW_MS + lookPause(looks), signal);
    if (signal.aborted) return false;
    // A hidden tab does not need the answer yet.
    if (globalThis.document?.hidden) continue;
    try {
      const turn = await loadTurn(door, place);
      if (turn?.status !== 'pending') return turn !== undefined;
    } catch (error) {
      if (isRefusal(error)) return false;
    }
  }
  return false;
}
const REVIEW_MS = 2_000;

/** Starts a run and follows it to its end. Errors as `followToEnd`; nothing was started when it could not be reached. */
export async function runToEnd(door: Door, call: PortalCall, watcher: Watcher): Promise<void> {
  const response = await openStream(door, call, (sent) => watcher.change({ sent }));
  watcher.change({ sent: undefined });
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
