import { NodeFailure } from '@millrace/engine';
import { findCapabilities, type ModelService } from '@millrace/models';
import type { Prepared } from './request.ts';

/** Refuses, before anything is sent, what the model is known not to take. Models of which nothing is known are asked. */
export function requireCapable(
  { provider }: Pick<ModelService, 'provider'>,
  model: string,
  { messages, json }: Pick<Prepared, 'messages' | 'json'>,
): void {
  const known = findCapabilities(provider, model);
  if (!known) return;
  const hasImages = messages.some((message) => message.role === 'user' && (message.images ?? []).length > 0);
  if (hasImages && !known.vision) throw lacking(model, 'takes no images');
  if (json?.schema && !known.structured_output)
    throw lacking(model, 'does not support answers by a JSON Schema');
}

/** Of a fallback, too, so that it names no field. */
const lacking = (model: string, lack: string) =>
  new NodeFailure({ kind: 'params', message: `the model ${model} ${lack}; choose another one`, final: true });
