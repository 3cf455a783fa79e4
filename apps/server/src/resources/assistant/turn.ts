import type { AssistantFrame, TraceSource } from '@millrace/contracts';
import { type Json, NodeFailure } from '@millrace/engine';
import type { ModelMessage } from '@millrace/models';
import { AppError } from '../../core/app-error.ts';
import type { Context, Services } from '../../services.ts';
import { type ChosenModel, openModel } from '../open-model.ts';
import type { ReadAttachment } from './attachment.ts';
import { converse, TurnEnded } from './conversation/converse.ts';
import { withoutAddresses } from './conversation/hidden-addresses.ts';
import { type Earlier, selectHistory } from './conversation/messages.ts';
import { TURN_LIMITS, TURNS_PER_MINUTE } from './limits.ts';
import type { Mask, Tool, ToolWorld } from './tools/tool.ts';

/** The message that the person sends, as a chat keeps it. */
export interface Said {
  readonly text: string;
  readonly attachment: ReadAttachment | undefined;
  /** Their answer to a confirmation. */
  readonly decided: { readonly token: string; readonly decision: 'accept' | 'refuse' } | undefined;
}

/** A turn whose request was accepted. */
export interface PreparedTurn {
  readonly model: ChosenModel;
  readonly source: TraceSource;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly said: Said;
  /** Earlier messages that the request brings along. */
  readonly earlier: readonly Earlier[];
  /** The question as the model reads it; does first what a person has confirmed. */
  readonly question: (world: ToolWorld) => Promise<ModelMessage>;
}

/** @throws AppError `rate_limited` when the person has taken too many turns in the last minute */
export async function requireTurn(
  { actor }: Pick<Context, 'actor'>,
  { shared_store }: Pick<Services, 'shared_store'>,
): Promise<void> {
  const window = await shared_store.countInWindow(`assistant:turns:${actor.user_id}`, TURNS_PER_MINUTE, 60);
  if (window.allowed) return;
  const headers = { 'Retry-After': String(window.reset_seconds) };
  throw new AppError('rate_limited', 'Too many messages to the assistant; try again in a moment', {
    headers,
  });
}

interface Running {
  readonly emit: (frame: AssistantFrame) => void;
  /** Aborted when the turn is to end before it is complete. */
  readonly left: AbortSignal;
  readonly mask: Mask;
}

/** Hides secrets of the person, and addresses that decide something, in what a model reads and a chat keeps. */
export async function createMask({ actor }: Context, { run_secrets }: Services): Promise<Mask> {
  const { masker } = await run_secrets.getSecrets(actor.user_id);
  // Guarantee: texts, and JSON of tools; hiding keeps the shape.
  return (value) => {
    const shown = withoutAddresses(value as Json);
    return (masker ? masker.mask(shown as never) : shown) as typeof value;
  };
}

/** Takes one turn to its last frame, `done` or `error`. */
export async function takeTurn(
  ctx: Context,
  services: Services,
  { turn, emit, left, mask }: Running & { readonly turn: PreparedTurn },
): Promise<void> {
  const time = AbortSignal.timeout(TURN_LIMITS.turn_ms);
  const signal = AbortSignal.any([left, time]);
  try {
    const world: ToolWorld = { ctx, services, left, signal, emit, mask };
    const question = await turn.question(world);
    const messages = [...selectHistory(turn.earlier), question].map((message) => ({
      ...message,
      text: mask(message.text),
    }));
    const model = openModel(
      services,
      { user_id: ctx.actor.user_id, source: turn.source, signal, limits: TURN_LIMITS },
      turn.model,
    );
    await converse({ world, model, system: mask(turn.system), messages, tools: turn.tools });
    emit({ type: 'done' });
  } catch (error) {
    if (left.aborted) return;
    emit({ type: 'error', message: describeFailure(services, { error, isLate: time.aborted }) });
  }
}

function describeFailure({ log }: Services, { error, isLate }: { error: unknown; isLate: boolean }): string {
  if (isLate) return `The assistant stopped at its limit of ${TURN_LIMITS.turn_ms / 60_000} minutes`;
  if (error instanceof NodeFailure) return error.failure.message;
  if (error instanceof AppError || error instanceof TurnEnded) return error.message;
  log.error({ err: error }, 'a turn of the assistant failed');
  return 'The assistant failed because of an internal error; try again';
}
