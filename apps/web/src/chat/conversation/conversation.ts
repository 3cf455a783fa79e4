import type { Door } from '../portal/requests.ts';
import { type AnsweringOptions, createAnswering } from './answering.ts';
import { type Answer, type Inputs, isWorking, type Message, newMessageId, type Question } from './message.ts';
import { createStopping, type Stopping } from './stopping.ts';
import { type Opened, Thread, type ThreadOptions } from './thread.ts';

export type { Opened } from './thread.ts';

export type ConversationOptions = ThreadOptions & AnsweringOptions;

export interface Conversation extends Pick<Stopping, 'stop'> {
  readonly messages: readonly Message[];
  /** As whom the portal is called. */
  readonly door: Door;
  send(inputs: Inputs): void;
  /** Asks the last question again; takes up a run again whose connection was lost. */
  retry(): void;
  /** Replaces a question and forgets what came after it. */
  edit(id: string, inputs: Inputs): void;
  /** Shows another conversation, and takes up the run that is under way in it. */
  open(opened: Opened): void;
  /** Takes up the run that was under way when the page was left. */
  resume(): void;
  /** Continues a paused run whose review was just decided here. */
  decided(): void;
}

const lost = (answer: Answer): Answer => ({ ...answer, state: 'failed', problem: { kind: 'unsent' } });

/** The messages of one visitor and the run that answers the last one. */
export function createConversation(options: ConversationOptions): Conversation {
  const { streams } = options;
  const thread = new Thread(options);
  const { stop } = createStopping(thread, streams);
  const { answer, follow, awaitReview } = createAnswering(thread, options);

  function resume(): void {
    const left = thread.last;
    if (left?.role === 'assistant' && left.state === 'waiting') return awaitReview(left);
    if (!isWorking(left)) return;
    if (left.execution_id !== undefined) return follow(left);
    thread.show(thread.messages.map((message) => (message === left ? lost(left) : message)));
  }

  return {
    get messages() {
      return thread.messages;
    },
    get door() {
      return thread.door;
    },
    send(inputs) {
      if (isWorking(thread.last)) return;
      const question: Question = { id: newMessageId(), role: 'user', inputs };
      answer([...thread.messages, question]);
    },
    retry() {
      const { last, messages } = thread;
      if (isWorking(last)) return;
      if (last?.role === 'assistant' && last.problem?.kind === 'connection') return follow(last);
      const asked = last?.role === 'assistant' ? messages.slice(0, -1) : messages;
      answer(asked, messages.slice(asked.length));
    },
    edit(id, inputs) {
      const { last, messages } = thread;
      if (isWorking(last)) return;
      const at = messages.findIndex((message) => message.id === id);
      const kept = messages.slice(0, at);
      if (at >= 0) answer([...kept, { id, role: 'user', inputs }], messages.slice(at));
    },
    stop,
    open(opened) {
      thread.open(opened);
      resume();
    },
    resume,
    decided() {
      const { last } = thread;
      if (last?.role === 'assistant' && last.state === 'waiting') follow(last);
    },
  };
}
