import type { JsonObject } from '@millrace/engine';
import type { CredentialConfig } from '@millrace/engine/credential';
import type { TokenUsage } from '@millrace/models';
import type { Invocation } from './workspace.ts';

/** How the last answer of an agent is to be read. */
export interface Answer {
  readonly summary: string;
  /** How the agent has checked its work. */
  readonly validation: string;
  /** The question that has to be answered before it continues; empty when it is done. */
  readonly question: string;
}

/** An action of an agent, as its command line prints it. */
export type Heard =
  | { readonly kind: 'thread'; readonly id: string }
  /** Something that it said or did, for those who follow the run. */
  | { readonly kind: 'did'; readonly text: string }
  | { readonly kind: 'said'; readonly text: string }
  /** Tokens; those of the whole thread so far where `is_total`. */
  | {
      readonly kind: 'usage';
      readonly usage: TokenUsage;
      readonly is_total: boolean;
      readonly cost_usd?: number;
    }
  /** Which model it has used: the one that it was given, else that of its settings. */
  | { readonly kind: 'model'; readonly model: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface Assignment {
  readonly config: CredentialConfig;
  readonly params: JsonObject;
  /** Epoch milliseconds. */
  readonly now_ms: number;
  /** Folder in the container. */
  readonly folder: string;
  readonly prompt: string;
  /** Of an earlier question, with the answer of a person as the prompt of that thread. */
  readonly continued: { readonly thread_id: string; readonly prompt: string } | undefined;
}

/** A coding agent that is a command line. */
export interface CodingAgent {
  readonly title: string;
  /** For traces. */
  readonly provider: string;
  /** Whether its usage has `cost_usd`. */
  readonly reports_cost: boolean;
  readModel(params: JsonObject): string;
  invoke(assignment: Assignment): Invocation;
  /** Undefined for what says nothing. */
  hear(event: JsonObject): Heard | undefined;
  readAnswer(text: string): Answer;
}

export const countIn = (holder: JsonObject | undefined, key: string): number => {
  const value = holder?.[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
};
