import type { TokenUsage } from '../model-call.ts';
import { type ByModel, findModelFacts } from './known-models.ts';

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of tokens of the prompt that were in the provider's cache; absent: as much as others. */
  readonly cached?: number | undefined;
  /** Of tokens of the prompt that the provider put into its cache; absent: as much as others. */
  readonly cache_write?: number | undefined;
  /** Of calls whose prompt has more tokens than this. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number };
}

const price = (input: number, output: number, cached?: number): ModelPrice => ({
  input,
  output,
  ...(cached === undefined ? {} : { cached }),
});

/** Claude of one price writes its cache for five minutes at a quarter more, and reads it at a tenth unless the list says less. */
const claude = (input: number, output: number, cached = input / 10): ModelPrice => ({
  ...price(input, output, cached),
  cache_write: input * 1.25,
});

/**
 * List prices of the providers, by the beginning of the model's name: openai.com/api/pricing,
 * platform.claude.com/docs/en/about-claude/pricing, ai.google.dev/gemini-api/docs/pricing. A model that is not here has no price.
 */
const PRICES: ByModel<ModelPrice> = {
  openai: {
    'gpt-5.5': { ...price(5, 30, 0.5), long: { above: 272_000, input: 10, output: 45 } },
    'gpt-5.4': price(2.5, 15, 0.25),
    'gpt-5.4-mini': price(0.75, 4.5, 0.075),
    'gpt-5.4-nano': price(0.2, 1.25, 0.02),
    'gpt-5.3-codex': price(1.75, 14, 0.175),
    'gpt-5.2': price(1.75, 14, 0.175),
    'gpt-5.2-codex': price(1.75, 14, 0.175),
    'gpt-5.1': price(1.25, 10, 0.125),
    'gpt-5.1-codex': price(1.25, 10, 0.125),
    'gpt-5.1-codex-max': price(1.25, 10, 0.125),
    'gpt-5.1-codex-mini': price(0.25, 2, 0.025),
    'gpt-5': price(1.25, 10, 0.125),
    'gpt-5-codex': price(1.25, 10, 0.125),
    'gpt-5-mini': price(0.25, 2, 0.025),
    'gpt-5-nano': price(0.05, 0.4, 0.005),
    'gpt-4.1': price(2, 8, 0.5),
    'gpt-4.1-mini': price(0.4, 1.6, 0.1),
    'gpt-4.1-nano': price(0.1, 0.4, 0.025),
    'gpt-4o': price(2.5, 10, 1.25),
    'gpt-4o-mini': price(0.15, 0.6, 0.075),
    o3: price(2, 8, 0.5),
    'o3-mini': price(1.1, 4.4, 0.55),
    'o4-mini': price(1.1, 4.4, 0.275),
    o1: price(15, 60, 7.5),
    'codex-mini': price(1.5, 6, 0.375),
    'text-embedding-3-small': price(0.02, 0),
    'text-embedding-3-large': price(0.13, 0),
  },
  anthropic: {
    'claude-fable-5-2': claude(8, 40, 0.2),
    'claude-fable-5-1': claude(10, 50, 0.25),
    'claude-fable-5': claude(10, 50),
    'claude-opus-5-5': claude(4, 20, 0.2),
    'claude-opus-5': claude(5, 25),
    'claude-sonnet-5-5': claude(2, 10, 0.1),
    'claude-sonnet-5': claude(2, 10),
    'claude-haiku-5-5': { ...claude(0.1, 0.5), long: { above: 100_000, input: 0.5, output: 2.5 } },
    'claude-opus-4-8': claude(5, 25),
    'claude-opus-4-7': claude(5, 25),
    'claude-opus-4-6': claude(5, 25),
    'claude-opus-4-5': claude(5, 25),
    'claude-opus-4-1': claude(15, 75),
    'claude-opus-4': claude(15, 75),
    'claude-sonnet-4-6': claude(3, 15),
    'claude-sonnet-4-5': { ...claude(3, 15), long: { above: 200_000, input: 6, output: 22.5 } },
    'claude-sonnet-4': claude(3, 15),
    'claude-haiku-4-5': claude(1, 5),
    'claude-3-7-sonnet': claude(3, 15),
    'claude-3-5-sonnet': claude(3, 15),
    'claude-3-5-haiku': claude(0.8, 4),
  },
  google: {
    'gemini-2.5-pro': { ...price(1.25, 10, 0.125), long: { above: 200_000, input: 2.5, output: 15 } },
    'gemini-2.5-flash': price(0.3, 2.5, 0.03),
    'gemini-2.5-flash-lite': price(0.1, 0.4, 0.01),
    'gemini-2.0-flash': price(0.1, 0.4, 0.025),
  },
};

export interface Priced {
  readonly provider?: string | undefined;
  readonly model: string;
  readonly usage: TokenUsage | null;
}

/**
 * @param own prices by model, which come before the list and count for every provider
 */
export const findPrice = (
  { provider, model }: Pick<Priced, 'provider' | 'model'>,
  own: Readonly<Record<string, ModelPrice>> = {},
): ModelPrice | undefined =>
  Object.hasOwn(own, model) ? own[model] : findModelFacts(PRICES, provider, model);

/**
 * US dollars of a call by list price, with the prices of the prompt cache and without discounts for batches; null where no price or no number of
 * tokens is known.
 *
 * @param own prices by model, which come before the list and count for every provider
 */
export function computeCost(
  { provider, model, usage }: Priced,
  own: Readonly<Record<string, ModelPrice>> = {},
): number | null {
  const found = findPrice({ provider, model }, own);
  if (!found || !usage) return null;
  const { prompt_tokens, completion_tokens, cached_tokens = 0, cache_write_tokens = 0 } = usage;
  const { input, output } = found.long && prompt_tokens > found.long.above ? found.long : found;
  // Long prompts have the same discount and the same surcharge.
  const share = (own_price: number | undefined) =>
    own_price === undefined || found.input === 0 ? 1 : own_price / found.input;
  const charged_tokens =
    prompt_tokens -
    cached_tokens -
    cache_write_tokens +
    cached_tokens * share(found.cached) +
    cache_write_tokens * share(found.cache_write);
  return (charged_tokens * input + completion_tokens * output) / 1_000_000;
}
