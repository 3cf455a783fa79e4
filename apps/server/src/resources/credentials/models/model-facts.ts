import type { ModelFacts } from '@millrace/contracts';
import { capabilitiesOf, type ModelPrice, priceOf } from '@millrace/models';
import { modelProviderOf } from '@millrace/nodes/runtime';
import type { Needs } from '../../../services.ts';
import { requireUsable } from '../service.ts';

/** What is known of a model without asking its provider. */
export async function readModelFacts(
  ctx: Needs<'db' | 'actor' | 'config'>,
  { id, model }: { readonly id: string; readonly model: string },
): Promise<ModelFacts> {
  const { credential } = await requireUsable(ctx, id);
  const provider = modelProviderOf(credential.type);
  return {
    price: knownPrice({ provider, model }, ctx.config.MODEL_PRICES),
    capabilities: capabilitiesOf(provider, model) ?? null,
  };
}

/** US dollars per million tokens; null where no price is known. */
export function knownPrice(
  model: Parameters<typeof priceOf>[0],
  own: Readonly<Record<string, ModelPrice>>,
): { input: number; output: number } | null {
  const found = priceOf(model, own);
  return found ? { input: found.input, output: found.output } : null;
}
