import type { ImageModelV3, LanguageModelV3 } from '@ai-sdk/provider';
import type { ModelProvider, ModelService } from '../model-service.ts';

/** Libraries insist on a key, and read one from the environment when none is given; the headers of the service replace it. */
const REPLACED = 'replaced-by-the-credential';
/** Key under which options of a compatible server are given to its library. */
export const COMPATIBLE = 'compatible';

/** Whether a provider has the Responses API, or may have it: a compatible server says so when it is asked. */
export const mayHaveResponses = (provider: ModelProvider): boolean =>
  provider === 'openai' || provider === 'compatible';

interface Asked {
  /** Id of the model at its provider. */
  readonly model: string;
  readonly is_responses: boolean;
}

/** A model of a provider, as the AI SDK describes one. Libraries are loaded when a run first needs them. */
export async function languageModel(
  { provider, service }: ModelService,
  { model, is_responses }: Asked,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModelV3> {
  const settings = { baseURL: service.base_url, apiKey: REPLACED, fetch };
  if (is_responses) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI(settings).responses(model);
  }
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI(settings).chat(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(settings)(model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI(settings)(model);
    }
    case 'compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({
        ...settings,
        name: COMPATIBLE,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })(model);
    }
    default:
      return provider satisfies never;
  }
}

/** An image model of Google: Gemini or Imagen by its name. */
export async function googleImageModel(
  { service }: ModelService,
  model: string,
  fetch: typeof globalThis.fetch,
): Promise<ImageModelV3> {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
  return createGoogleGenerativeAI({ baseURL: service.base_url, apiKey: REPLACED, fetch }).image(model);
}
