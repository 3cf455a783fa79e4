import type { PortalCall } from '@millrace/contracts';
import { ApiError, beginConversation, cancelRun, type Door, detailOf, execute } from '../portal/requests.ts';
import {
  ended,
  followToEnd,
  isUnderWay,
  lastTurn,
  lastTurnWhenBack,
  lookToEnd,
  runToEnd,
  untilDecided,
  type Watcher,
} from './follow-run.ts';
import {
  type Answer,
  type Inputs,
  isWorking,
  type Message,
  newAnswer,
  newMessageId,
  type Problem,
  type Question,
} from './message.ts';

/** A conversation on the page; one without an id is stored by its first message. */
export interface Opened {
  readonly id?: string | undefined;
  readonly messages: readonly Message[];
}

export interface ConversationOptions {
  readonly door: Door;
  /** §2.1 `portal_stream_enabled`. */
  readonly streams: boolean;
  readonly opened: Opened;
  /** Called after every change. */
  readonly onChange: (opened: Opened) => void;
  /** A visitor without a login was given a token, by which their conversations are found again. */
  readonly onVisitorToken: (token: string) => void;
  /** The session is over or was ended. */
  readonly onSignedOut: () => void;
}

export interface Conversation {
  readonly messages: readonly Message[];
  /** As whom the portal is called. */
  readonly door: Door;
  send(inputs: Inputs): void;
  /** Asks the last question again; takes up a run again whose connection was lost. */
  retry(): void;
  /** Replaces a question and forgets what came after it. */
  edit(id: string, inputs: Inputs): void;
  /** §3.4. Resolves to false when the server could not be reached. */
  stop(): Promise<boolean>;
  /** Shows another conversation, and takes up the run that is under way in it. */
  open(opened: Opened): void;
  /** Takes up the run that was under way when the page was left. */
  resume(): void;
  /** Continues a paused run whose review was just decided here. */
  decided(): void;
}

/** A call that the conversation keeps, and who watches its answer. */
interface Kept {
  readonly conversation_id: string;
  readonly watcher: Watcher;
  /** Runs of the messages before it, and of those that it replaces. */
  readonly earlier: ReadonlySet<string>;
}

function problemOf(error: unknown, answer: Answer): Problem {
  if (!(error instanceof ApiError)) return { kind: answer.execution_id ? 'connection' : 'unsent' };
  const { status, wait_seconds = 1 } = error;
  const detail = detailOf(error);
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

const STOP_TRIES = 5;
const STOP_PAUSE_MS = 300;

/** The messages of one visitor and the run that answers the last one. One run at a time. */
export function createConversation(options: ConversationOptions): Conversation {
  const { streams, onChange, onVisitorToken, onSignedOut } = options;
  let { door } = options;
  let { id: conversation_id, messages } = options.opened;
  let current = new AbortController();
  /** Stop was asked for before the server had named the run; takes how that went. */
  let stopped: ((isTold: boolean) => void) | undefined;

  const set = (next: readonly Message[]) => {
    messages = next;
    onChange({ id: conversation_id, messages });
  };

  const last = () => messages.at(-1);

  function watch(id: string): Watcher {
    const { signal } = current;
    return {
      signal,
      change(change) {
        if (signal.aborted) return;
        set(
          messages.map((message) =>
            message.id === id && message.role === 'assistant'
              ? { ...message, ...(typeof change === 'function' ? change(message) : change) }
              : message,
          ),
        );
        stopLate();
      },
    };
  }

  function settle(work: Promise<void>, { change, signal }: Watcher): void {
    const paused = () => {
      const left = last();
      if (!signal.aborted && left?.role === 'assistant' && left.state === 'waiting') awaitReview(left);
    };
    work.then(paused).catch((error: unknown) => {
      if (signal.aborted) return;
      change((answer) => ({ state: 'failed', problem: problemOf(error, answer) }));
      // It was deleted elsewhere, or kept long enough; the next try begins another one.
      if (error instanceof ApiError && error.status === 404) conversation_id = undefined;
      if (error instanceof ApiError && error.status === 401) onSignedOut();
    });
  }

  async function stored(): Promise<string> {
    if (conversation_id !== undefined) return conversation_id;
    const { id, visitor_token } = await beginConversation(door);
    if (visitor_token !== null) {
      door = { ...door, visitor_token };
      onVisitorToken(visitor_token);
    }
    conversation_id = id;
    // A page that is closed before anything else changes must find its message again.
    set(messages);
    return id;
  }

  /** The run does not end with the request, so an answer whose connection is lost is found in the conversation. */
  async function runInOnePiece(call: PortalCall, { conversation_id, watcher, earlier }: Kept): Promise<void> {
    const { change, signal } = watcher;
    const sending = { signal, onSent: (sent: number) => change({ sent }) };
    try {
      const { status, outputs, execution_history_id } = await execute(door, call, sending);
      change({ ...ended(status, outputs), execution_id: execution_history_id, sent: undefined });
    } catch (error) {
      if (error instanceof ApiError || signal.aborted) throw error;
      change({ state: 'reconnecting', sent: undefined });
      const turn = await lastTurnWhenBack(door, conversation_id, signal);
      // The last message is an earlier one: this one has never arrived.
      if (!turn || earlier.has(turn.execution_id)) throw error;
      await lookToEnd(door, { conversation_id, execution_id: turn.execution_id }, watcher);
    }
  }

  async function ask(call: PortalCall, { watcher, earlier }: Omit<Kept, 'conversation_id'>): Promise<void> {
    const conversation_id = await stored();
    const kept = { ...call, conversation_id };
    if (watcher.signal.aborted) return;
    await (streams
      ? runToEnd(door, kept, watcher)
      : runInOnePiece(kept, { conversation_id, watcher, earlier }));
  }

  /** Answers the question at the end of `asked`, which takes the place of the messages in `replaced`. */
  function answer(asked: readonly Message[], replaced: readonly Message[] = []): void {
    const question = asked.at(-1);
    if (question?.role !== 'user') return;
    current.abort();
    current = new AbortController();
    const [replaces] = runsOf(replaced);
    const earlier = new Set([...runsOf(asked), ...runsOf(replaced)]);
    const call = { inputs: question.inputs, ...(replaces === undefined ? {} : { replaces }) };
    const begun = newAnswer();
    set([...asked, begun]);
    const watcher = watch(begun.id);
    settle(ask(call, { watcher, earlier }), watcher);
  }

  function follow({ id, execution_id }: Answer): void {
    if (execution_id === undefined) return;
    current.abort();
    current = new AbortController();
    const watcher = watch(id);
    watcher.change({ state: 'reconnecting' });
    const place = conversation_id && { conversation_id, execution_id };
    settle(
      !streams && place ? lookToEnd(door, place, watcher) : followToEnd(door, execution_id, watcher),
      watcher,
    );
  }

  /** Continues with the answer when the review of a paused run is decided, here or elsewhere. */
  function awaitReview(paused: Answer): void {
    const { execution_id } = paused;
    if (conversation_id === undefined || execution_id === undefined) return;
    const { signal } = current;
    const place = { conversation_id, execution_id };
    void untilDecided(door, place, signal).then((isDecided) => {
      const waiting = last();
      if (!isDecided || signal.aborted || waiting?.role !== 'assistant') return;
      if (waiting.id === paused.id && waiting.state === 'waiting') follow(waiting);
    });
  }

  /** Stops for real once the run is known; nothing is left to stop when it never will be. */
  function stopLate(): void {
    const working = last();
    if (!stopped || (isWorking(working) && working.execution_id === undefined)) return;
    const tell = stopped;
    stopped = undefined;
    void stop().then(tell);
  }

  async function stop(): Promise<boolean> {
    const working = last();
    if (!isWorking(working)) return true;
    const { execution_id, id } = working;
    if (execution_id === undefined && streams) {
      return new Promise((resolve) => {
        stopped = resolve;
      });
    }
    try {
      const run_id = execution_id ?? (await runUnderWay());
      if (run_id !== undefined) await cancelRun(door, run_id);
      // An answer in one piece says nothing of its end; nothing was started when there is no run.
      if (!streams || run_id === undefined) {
        watch(id).change({ state: 'stopped', ...(run_id === undefined ? {} : { execution_id: run_id }) });
        current.abort();
      }
      return true;
    } catch {
      return false;
    }
  }

  /** The run of an answer in one piece, which the conversation has before the answer is there. */
  async function runUnderWay(): Promise<string | undefined> {
    for (let tries = 0; tries < STOP_TRIES && isWorking(last()); tries += 1) {
      // The message may be on its way to the server.
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, STOP_PAUSE_MS));
      if (conversation_id === undefined) continue;
      const turn = await lastTurn(door, conversation_id);
      if (turn && isUnderWay(turn)) return turn.execution_id;
    }
    return undefined;
  }

  const withoutLastAnswer = () => (last()?.role === 'assistant' ? messages.slice(0, -1) : messages);

  function resume(): void {
    const left = last();
    if (left?.role === 'assistant' && left.state === 'waiting') return awaitReview(left);
    if (!isWorking(left)) return;
    if (left.execution_id !== undefined) return follow(left);
    set(messages.map((message) => (message === left ? lost(left) : message)));
  }

  return {
    get messages() {
      return messages;
    },
    get door() {
      return door;
    },
    send(inputs) {
      if (isWorking(last())) return;
      const question: Question = { id: newMessageId(), role: 'user', inputs };
      answer([...messages, question]);
    },
    retry() {
      const failed = last();
      if (isWorking(failed)) return;
      if (failed?.role === 'assistant' && failed.problem?.kind === 'connection') return follow(failed);
      const asked = withoutLastAnswer();
      answer(asked, messages.slice(asked.length));
    },
    edit(id, inputs) {
      if (isWorking(last())) return;
      const at = messages.findIndex((message) => message.id === id);
      const kept = messages.slice(0, at);
      if (at >= 0) answer([...kept, { id, role: 'user', inputs }], messages.slice(at));
    },
    stop,
    open(opened) {
      current.abort();
      current = new AbortController();
      conversation_id = opened.id;
      set(opened.messages);
      stopLate();
      resume();
    },
    resume,
    decided() {
      const paused = last();
      if (paused?.role === 'assistant' && paused.state === 'waiting') follow(paused);
    },
  };
}

const runsOf = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) => (message.role === 'assistant' && message.execution_id) || []);

const lost = (answer: Answer): Answer => ({ ...answer, state: 'failed', problem: { kind: 'unsent' } });
