import type { TokenUsage } from './model-call.ts';

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of tokens of the prompt that were in the provider's cache; absent: as much as others. */
  readonly cached?: number | undefined;
  /** Of calls whose prompt has more tokens than this. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number };
}

const price = (input: number, output: number, cached?: number): ModelPrice => ({
  input,
  output,
  ...(cached === undefined ? {} : { cached }),
});

/**
 * List prices of the providers, by the beginning of the model's name: openai.com/api/pricing,
 * platform.claude.com/docs/en/about-claude/pricing, ai.google.dev/gemini-api/docs/pricing. A model that is not here has no price.
 */
const PRICES: Readonly<Record<string, Readonly<Record<string, ModelPrice>>>> = {
  openai: {
    'gpt-5.4': price(2.5, 15, 0.25),
    'gpt-5.4-mini': price(0.75, 4.5, 0.075),
    'gpt-5.4-nano': price(0.2, 1.25, 0.02),
    'gpt-5.2': price(1.75, 14, 0.175),
    'gpt-5.1': price(1.25, 10, 0.125),
    'gpt-5': price(1.25, 10, 0.125),
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
    'text-embedding-3-small': price(0.02, 0),
    'text-embedding-3-large': price(0.13, 0),
  },
  anthropic: {
    'claude-fable-5-1': price(10, 50),
    'claude-opus-5-5': price(4, 20),
    'claude-opus-5': price(5, 25),
    'claude-sonnet-5-5': price(2, 10),
    'claude-opus-4-7': price(5, 25),
    'claude-opus-4-6': price(5, 25),
    'claude-opus-4-5': price(5, 25),
    'claude-opus-4-1': price(15, 75),
    'claude-opus-4': price(15, 75),
    'claude-sonnet-4-5': { ...price(3, 15), long: { above: 200_000, input: 6, output: 22.5 } },
    'claude-sonnet-4': price(3, 15),
    'claude-haiku-4-5': price(1, 5),
    'claude-3-7-sonnet': price(3, 15),
    'claude-3-5-sonnet': price(3, 15),
    'claude-3-5-haiku': price(0.8, 4),
  },
  google: {
    'gemini-2.5-pro': { ...price(1.25, 10), long: { above: 200_000, input: 2.5, output: 15 } },
    'gemini-2.5-flash': price(0.3, 2.5),
    'gemini-2.5-flash-lite': price(0.1, 0.4),
    'gemini-2.0-flash': price(0.1, 0.4),
  },
};

/**
 * What follows the name of a priced model in the name of one of its versions: `-2024-08-06`, `-20250929`, `-latest`, `-001`,
 * `-0`. Other numbers name another model, which may have another price.
 */
const VERSION = /^(-\d{4}-\d{2}-\d{2}|-\d{8}|-latest|-\d{3}|-0)?$/;

function listPrice(provider: string | undefined, model: string): ModelPrice | undefined {
  const known = PRICES[provider ?? ''];
  if (!known) return undefined;
  // The longest first: the name of one model may begin with that of another.
  const names = Object.keys(known).toSorted((a, b) => b.length - a.length);
  const name = names.find((one) => model.startsWith(one) && VERSION.test(model.slice(one.length)));
  return name === undefined ? undefined : known[name];
}

export interface Priced {
  readonly provider?: string | undefined;
  readonly model: string;
  readonly usage: TokenUsage | null;
}

/**
 * @param own prices by model, which come before the list and count for every provider
 */
export const priceOf = (
  { provider, model }: Pick<Priced, 'provider' | 'model'>,
  own: Readonly<Record<string, ModelPrice>> = {},
): ModelPrice | undefined => (Object.hasOwn(own, model) ? own[model] : listPrice(provider, model));

/**
 * US dollars of a call by list price, with the price of cached tokens and without discounts for batches; null where no price or no number of
 * tokens is known.
 *
 * @param own prices by model, which come before the list and count for every provider
 */
export function costOf(
  { provider, model, usage }: Priced,
  own: Readonly<Record<string, ModelPrice>> = {},
): number | null {
  const found = priceOf({ provider, model }, own);
  if (!found || !usage) return null;
  const { prompt_tokens, completion_tokens, cached_tokens = 0 } = usage;
  const { input, output } = found.long && prompt_tokens > found.long.above ? found.long : found;
  // Long prompts have the same discount.
  const share = found.cached === undefined || found.input === 0 ? 1 : found.cached / found.input;
  const cost =
    (prompt_tokens - cached_tokens) * input + cached_tokens * share * input + completion_tokens * output;
  return cost / 1_000_000;
}
