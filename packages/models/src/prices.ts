import type { TokenUsage } from './complete.ts';

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of calls whose prompt has more tokens than this. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number };
}

const price = (input: number, output: number): ModelPrice => ({ input, output });

/**
 * List prices of the providers, by the beginning of the model's name: openai.com/api/pricing,
 * platform.claude.com/docs/en/about-claude/pricing, ai.google.dev/gemini-api/docs/pricing. A model that is not here has no price.
 */
const PRICES: Readonly<Record<string, Readonly<Record<string, ModelPrice>>>> = {
  openai: {
    'gpt-5.4': price(2.5, 15),
    'gpt-5.4-mini': price(0.75, 4.5),
    'gpt-5.4-nano': price(0.2, 1.25),
    'gpt-5.2': price(1.75, 14),
    'gpt-5.1': price(1.25, 10),
    'gpt-5': price(1.25, 10),
    'gpt-5-mini': price(0.25, 2),
    'gpt-5-nano': price(0.05, 0.4),
    'gpt-4.1': price(2, 8),
    'gpt-4.1-mini': price(0.4, 1.6),
    'gpt-4.1-nano': price(0.1, 0.4),
    'gpt-4o': price(2.5, 10),
    'gpt-4o-mini': price(0.15, 0.6),
    o3: price(2, 8),
    'o3-mini': price(1.1, 4.4),
    'o4-mini': price(1.1, 4.4),
    o1: price(15, 60),
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
 * US dollars of a call by list price, without discounts for cached prompts or batches; null where no price or no number of
 * tokens is known.
 *
 * @param own prices by model, which come before the list and count for every provider
 */
export function costOf(
  { provider, model, usage }: Priced,
  own: Readonly<Record<string, ModelPrice>> = {},
): number | null {
  const found = Object.hasOwn(own, model) ? own[model] : listPrice(provider, model);
  if (!found || !usage) return null;
  const { prompt_tokens, completion_tokens } = usage;
  const { input, output } = found.long && prompt_tokens > found.long.above ? found.long : found;
  return (prompt_tokens * input + completion_tokens * output) / 1_000_000;
}
