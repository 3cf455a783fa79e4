import type { Json } from '@millrace/engine';
import type { GrowingText } from '../../lib/run/growing-texts.ts';
import type { ReviewLink } from './reviews.ts';

export type Inputs = Readonly<Record<string, Json>>;

export interface Question {
  readonly id: string;
  readonly role: 'user';
  readonly inputs: Inputs;
}

/** A node that works or has worked for the answer. */
export interface Step {
  readonly node_id: string;
  /** Label of the node, or the owner's words for it. */
  readonly label: string;
  readonly is_message: boolean;
  readonly is_done: boolean;
}

/** Why there is no answer. `connection`: the run may still be running. */
export type ProblemKind =
  | 'connection'
  | 'unsent'
  | 'failed'
  | 'busy'
  | 'too_many'
  | 'not_ready'
  | 'refused'
  | 'gone'
  | 'signed_out';

export interface Problem {
  readonly kind: ProblemKind;
  /** The explanation that the workflow or the server gives. */
  readonly detail?: string;
  /** Milliseconds since 1970 from which trying again is of use. */
  readonly retry_at_ms?: number;
}

export interface Answer {
  readonly id: string;
  readonly role: 'assistant';
  /** `waiting`: the run is paused for a review (§3.4). */
  readonly state: 'working' | 'reconnecting' | 'done' | 'failed' | 'stopped' | 'waiting';
  /** Markdown. */
  readonly text: string;
  /** Texts of the answer that models are writing at this moment. */
  readonly writing?: readonly GrowingText[];
  readonly steps: readonly Step[];
  /** Share of a large message that the server has, 0 to 1; absent while nothing large is sent. */
  readonly sent?: number | undefined;
  readonly reviews: readonly ReviewLink[];
  readonly execution_id?: string;
  readonly problem?: Problem;
}

export type Message = Question | Answer;

/** `crypto.randomUUID` is missing where the page came over plain HTTP. Unique within a conversation. */
export const newMessageId = (): string => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

export const newAnswer = (): Answer => ({
  id: newMessageId(),
  role: 'assistant',
  state: 'working',
  text: '',
  steps: [],
  reviews: [],
});

/** The answer as far as it is written. */
export const writtenText = ({ text, writing = [] }: Answer): string =>
  text || writing.map((one) => one.text).join('\n\n');

/** An answer whose run is under way. */
export type OpenAnswer = Answer & { readonly state: 'working' | 'reconnecting' };

export const isWorking = (message: Message | undefined): message is OpenAnswer =>
  message?.role === 'assistant' && (message.state === 'working' || message.state === 'reconnecting');
