import type { PortalCall } from '@millrace/contracts';
import { ApiError, execute, getDetail } from '../portal/requests.ts';
import {
  ended,
  followToEnd,
  lastTurnWhenBack,
  lookToEnd,
  runToEnd,
  untilDecided,
  type Watcher,
} from './follow-run.ts';
import { type Answer, type Message, newAnswer, type Problem } from './message.ts';
import type { Thread } from './thread.ts';

export interface AnsweringOptions {
  /** §2.1 `portal_stream_enabled`. */
  readonly streams: boolean;
  /** The session is over or was ended. */
  readonly onSignedOut: () => void;
}

export interface Answering {
  /** Answers the question at the end of `asked`, which takes the place of the messages in `replaced`. */
  answer(asked: readonly Message[], replaced?: readonly Message[]): void;
  /** Shows the rest of an answer whose run is known. */
  follow(answer: Answer): void;
  /** Continues with the answer when the review of a paused run is decided, here or elsewhere. */
  awaitReview(paused: Answer): void;
}

function toProblem(error: unknown, answer: Answer): Problem {
  if (!(error instanceof ApiError)) return { kind: answer.execution_id ? 'connection' : 'unsent' };
  const { status, wait_seconds = 1 } = error;
  const detail = getDetail(error);
  switch (status) {
    case 400:
      return { kind: 'not_ready', detail };
    case 401:
      return { kind: 'signed_out' };
    case 404:
      return { kind: 'gone' };
    case 429:
      return { kind: 'too_many', retry_at_ms: Date.now() + wait_seconds * 1000 };
    case 502:
    case 503:
    case 504:
      return { kind: 'busy' };
    default:
      return status < 500 ? { kind: 'refused', detail } : { kind: 'failed' };
  }
}

/** A call, and who watches its answer. */
interface Asked {
  readonly call: PortalCall;
  readonly watcher: Watcher;
  /** Runs of the messages before it, and of those that it replaces. */
  readonly earlier: ReadonlySet<string>;
}

/** The run does not end with the request, so an answer whose connection is lost is found in the conversation. */
async function runInOnePiece(thread: Thread, conversation_id: string, asked: Asked): Promise<void> {
  const { call, watcher, earlier } = asked;
  const { change, signal } = watcher;
  const sending = { signal, onSent: (sent: number) => change({ sent }) };
  try {
    const { status, outputs, execution_history_id } = await execute(
      thread.door,
      { ...call, conversation_id },
      sending,
    );
    change({ ...ended(status, outputs), execution_id: execution_history_id, sent: undefined });
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) throw error;
    change({ state: 'reconnecting', sent: undefined });
    const turn = await lastTurnWhenBack(thread.door, conversation_id, signal);
    // The last message is an earlier one: this one has never arrived.
    if (!turn || earlier.has(turn.execution_id)) throw error;
    await lookToEnd(thread.door, { conversation_id, execution_id: turn.execution_id }, watcher);
  }
}

async function ask(thread: Thread, asked: Asked, streams: boolean): Promise<void> {
  const conversation_id = await thread.stored();
  const { call, watcher } = asked;
  if (watcher.signal.aborted) return;
  await (streams
    ? runToEnd(thread.door, { ...call, conversation_id }, watcher)
    : runInOnePiece(thread, conversation_id, asked));
}

const listRuns = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) => (message.role === 'assistant' && message.execution_id) || []);

/** Takes the run that answers the last question to its end, with the pauses for reviews in it. One run at a time. */
export function createAnswering(thread: Thread, { streams, onSignedOut }: AnsweringOptions): Answering {
  function settle(answer_id: string, work: Promise<void>, { change, signal }: Watcher): void {
    const paused = () => {
      const left = thread.last;
      if (!signal.aborted && left?.role === 'assistant' && left.state === 'waiting') awaitReview(left);
    };
    const fail = (error: unknown) => {
      if (signal.aborted) return;
      change((answer) => ({ state: 'failed', problem: toProblem(error, answer) }));
      // It was deleted elsewhere, or kept long enough; the next try begins another one.
      if (error instanceof ApiError && error.status === 404) thread.forgetId();
      if (error instanceof ApiError && error.status === 401) onSignedOut();
    };
    void work
      .then(paused)
      .catch(fail)
      .finally(() => thread.end(answer_id));
  }

  function answer(asked: readonly Message[], replaced: readonly Message[] = []): void {
    const question = asked.at(-1);
    if (question?.role !== 'user') return;
    const [replaces] = listRuns(replaced);
    const earlier = new Set([...listRuns(asked), ...listRuns(replaced)]);
    const call = { inputs: question.inputs, ...(replaces === undefined ? {} : { replaces }) };
    const begun = newAnswer();
    const watcher = thread.follow(begun.id);
    thread.show([...asked, begun]);
    settle(begun.id, ask(thread, { call, watcher, earlier }, streams), watcher);
  }

  function follow({ id, execution_id }: Answer): void {
    if (execution_id === undefined) return;
    const watcher = thread.follow(id);
    watcher.change({ state: 'reconnecting' });
    const place = thread.id && { conversation_id: thread.id, execution_id };
    settle(
      id,
      !streams && place
        ? lookToEnd(thread.door, place, watcher)
        : followToEnd(thread.door, execution_id, watcher),
      watcher,
    );
  }

  function awaitReview(paused: Answer): void {
    const { id: conversation_id, signal } = thread;
    const { execution_id } = paused;
    if (conversation_id === undefined || execution_id === undefined) return;
    void untilDecided(thread.door, { conversation_id, execution_id }, signal).then((isDecided) => {
      const waiting = thread.last;
      if (!isDecided || signal.aborted || waiting?.role !== 'assistant') return;
      if (waiting.id === paused.id && waiting.state === 'waiting') follow(waiting);
    });
  }

  return { answer, follow, awaitReview };
}
