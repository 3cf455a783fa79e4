import { createHash } from 'node:crypto';
import type { AssistantConfirmation, AssistantConfirmationFrame } from '@millrace/contracts';
import { ASSISTANT_LIMITS } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { stringify } from 'safe-stable-stringify';
import { AppError, conflict } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { assistantConfirmation, signToken, verifyToken } from '../../core/secrets/tokens.ts';
import type { Context, Services } from '../../services.ts';

const TTL_SECONDS = ASSISTANT_LIMITS.confirmation_minutes * 60;

const hashInput = (input: unknown): string =>
  createHash('sha256')
    .update(stringify(input) ?? '')
    .digest('hex');

interface Change {
  readonly tool: string;
  readonly input: JsonObject;
  readonly summary: string;
}

/** Asks a person to confirm a change. The token alone proves what was asked: it is signed, for this person and these arguments. */
export async function askToConfirm(
  { actor, secrets, now }: Pick<Context, 'actor' | 'secrets' | 'now'>,
  { tool, input, summary }: Change,
): Promise<AssistantConfirmationFrame> {
  const exp = Math.floor(now() / 1000) + TTL_SECONDS;
  const claims = {
    sub: actor.user_id,
    tool,
    digest: hashInput(input),
    jti: newId(),
    type: 'assistant_confirmation',
    exp,
  } as const;
  return {
    type: 'confirmation',
    token: await signToken(assistantConfirmation, claims, secrets.secret_key),
    tool,
    arguments: input,
    summary,
    expires_at: new Date(exp * 1000).toISOString(),
  };
}

/**
 * Takes a person's decision, once.
 *
 * @returns its id: the same for the same confirmation
 * @throws AppError `bad_request` when it is forged, expired or someone else's, or not of these arguments; `conflict` when it
 *   was decided before
 */
export async function takeDecision(
  { actor, secrets, now }: Pick<Context, 'actor' | 'secrets' | 'now'>,
  { shared_store }: Pick<Services, 'shared_store'>,
  { token, tool, arguments: input }: AssistantConfirmation,
): Promise<string> {
  const claims = await verifyToken(assistantConfirmation, token, { secret: secrets.secret_key, now: now() });
  const isOwn = claims?.sub === actor.user_id && claims.tool === tool && claims.digest === hashInput(input);
  if (!claims || !isOwn) {
    throw new AppError(
      'bad_request',
      'The confirmation is not valid or has expired; ask the assistant once more',
    );
  }
  const { allowed } = await shared_store.countInWindow(`assistant:confirmed:${claims.jti}`, 1, TTL_SECONDS);
  if (!allowed) throw conflict('This was confirmed or refused before; ask the assistant once more');
  return claims.jti;
}
