import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { ModelProvider } from '../model-service.ts';
import { COMPATIBLE } from './language-model.ts';

export type ReasoningEffort = 'low' | 'medium' | 'high';

/** Tokens of thought for models that take a number instead of an effort. */
const BUDGETS: Readonly<Record<ReasoningEffort, number>> = { low: 2_048, medium: 8_192, high: 24_576 };
/** Claude before 4.6 takes a budget, later ones an effort (docs.anthropic.com, extended thinking). */
const BUDGETED_CLAUDE = /claude-(3|(opus|sonnet|haiku)-4(-[015](-|$)|-\d{8}|$))/;
/** Gemini before 3 takes a budget, later ones a level (ai.google.dev/gemini-api/docs/thinking). */
const BUDGETED_GEMINI = /gemini-(1|2)(\.|-)/;

/** How much a model is to think, in the words of its provider. */
export function reasoningOptions(
  provider: ModelProvider,
  model: string,
  effort: ReasoningEffort,
): SharedV3ProviderOptions {
  switch (provider) {
    case 'openai':
      return { openai: { reasoningEffort: effort, forceReasoning: true } };
    case 'compatible':
      return { [COMPATIBLE]: { reasoningEffort: effort } };
    case 'anthropic':
      return BUDGETED_CLAUDE.test(model)
        ? { anthropic: { thinking: { type: 'enabled', budgetTokens: BUDGETS[effort] } } }
        : { anthropic: { thinking: { type: 'adaptive' }, effort } };
    case 'google':
      return {
        google: {
          thinkingConfig: BUDGETED_GEMINI.test(model)
            ? { thinkingBudget: BUDGETS[effort] }
            : { thinkingLevel: effort },
        },
      };
    default:
      return provider satisfies never;
  }
}
