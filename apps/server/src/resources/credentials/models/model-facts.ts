import type { ModelFacts } from '@millrace/contracts';
import { findCapabilities, findPrice, type ModelPrice } from '@millrace/models';
import { findModelProvider } from '@millrace/nodes/runtime';
import type { Needs } from '../../../services.ts';
import { requireUsable } from '../service.ts';

/** Reads what is known of a model without asking its provider. */
export async function readModelFacts(
  ctx: Needs<'db' | 'actor' | 'config'>,
  { id, model }: { readonly id: string; readonly model: string },
): Promise<ModelFacts> {
  const { credential } = await requireUsable(ctx, id);
  const provider = findModelProvider(credential.type);
  return {
    price: knownPrice({ provider, model }, ctx.config.MODEL_PRICES),
    capabilities: findCapabilities(provider, model) ?? null,
  };
}

/** US dollars per million tokens; null where no price is known. */
export function knownPrice(
  model: Parameters<typeof findPrice>[0],
  own: Readonly<Record<string, ModelPrice>>,
): { input: number; output: number } | null {
  const found = findPrice(model, own);
  return found ? { input: found.input, output: found.output } : null;
}
