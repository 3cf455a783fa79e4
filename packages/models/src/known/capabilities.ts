import { type ByModel, findModelFacts } from './known-models.ts';

/** The capabilities of a model: what it can take and do. */
export interface ModelCapabilities {
  /** Takes images with a message. */
  readonly vision: boolean;
  readonly tools: boolean;
  /** Answers by a JSON Schema that its provider enforces. */
  readonly structured_output: boolean;
  /** Tokens that the prompt and the answer may have together. */
  readonly context_window_tokens: number;
}

const able = (
  context_window_tokens: number,
  lacks: Partial<Omit<ModelCapabilities, 'context_window_tokens'>> = {},
): ModelCapabilities => ({
  vision: true,
  tools: true,
  structured_output: true,
  context_window_tokens,
  ...lacks,
});

/**
 * As the pages of the models say: developers.openai.com/api/docs/models, platform.claude.com/docs/en/models/overview,
 * ai.google.dev/gemini-api/docs/models. Of a model that is not here nothing is known, so that nothing is refused.
 */
const CAPABILITIES: ByModel<ModelCapabilities> = {
  openai: {
    'gpt-5.5': able(1_050_000),
    'gpt-5.4': able(1_050_000),
    'gpt-5.4-mini': able(400_000),
    'gpt-5.4-nano': able(400_000),
    'gpt-5.3-codex': able(400_000),
    'gpt-5.2': able(400_000),
    'gpt-5.2-codex': able(400_000),
    'gpt-5.1': able(400_000),
    'gpt-5.1-codex': able(400_000),
    'gpt-5.1-codex-max': able(400_000),
    'gpt-5.1-codex-mini': able(400_000),
    'gpt-5': able(400_000),
    'gpt-5-codex': able(400_000),
    'gpt-5-mini': able(400_000),
    'gpt-5-nano': able(400_000),
    'gpt-4.1': able(1_047_576),
    'gpt-4.1-mini': able(1_047_576),
    'gpt-4.1-nano': able(1_047_576),
    'gpt-4o': able(128_000),
    'gpt-4o-mini': able(128_000),
    'gpt-4-turbo': able(128_000, { structured_output: false }),
    'gpt-4': able(8_192, { vision: false, structured_output: false }),
    'gpt-3.5-turbo': able(16_385, { vision: false, structured_output: false }),
    o3: able(200_000),
    'o3-mini': able(200_000, { vision: false }),
    'o4-mini': able(200_000),
    o1: able(200_000),
  },
  anthropic: {
    'claude-fable-5-2': able(1_000_000),
    'claude-fable-5-1': able(1_000_000),
    'claude-fable-5': able(1_000_000),
    'claude-opus-5-5': able(1_000_000),
    'claude-opus-5': able(1_000_000),
    'claude-sonnet-5-5': able(1_000_000),
    'claude-sonnet-5': able(1_000_000),
    'claude-haiku-5-5': able(1_000_000),
    'claude-opus-4-8': able(1_000_000),
    'claude-opus-4-7': able(1_000_000),
    'claude-opus-4-6': able(1_000_000),
    'claude-sonnet-4-6': able(1_000_000),
    'claude-opus-4-5': able(200_000),
    'claude-opus-4-1': able(200_000),
    'claude-sonnet-4-5': able(200_000),
    'claude-haiku-4-5': able(200_000),
  },
  google: {
    'gemini-2.5-pro': able(1_048_576),
    'gemini-2.5-flash': able(1_048_576),
    'gemini-2.5-flash-lite': able(1_048_576),
    'gemini-2.0-flash': able(1_048_576),
  },
};

/** Undefined where nothing is known of the model. */
export const findCapabilities = (
  provider: string | undefined,
  model: string,
): ModelCapabilities | undefined => findModelFacts(CAPABILITIES, provider, model);
