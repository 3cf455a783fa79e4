import type { LanguageModelV3FunctionTool, LanguageModelV3Prompt } from '@ai-sdk/provider';
import type { ModelProvider } from '../model-service.ts';

/** For five minutes from its last use, which costs a quarter more than a prompt that is not kept; later reads cost a tenth or less. */
const KEPT = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };
/** With the marks of the tools and of the system message these are the four that a request may have. */
const MARKED_MESSAGES = 2;

interface Cacheable {
  readonly prompt: LanguageModelV3Prompt;
  readonly tools: readonly LanguageModelV3FunctionTool[];
}

/**
 * Anthropic keeps a prompt up to each place that is marked (platform.claude.com/docs/en/build-with-claude/prompt-caching); the
 * other providers keep prompts on their own. Messages are only marked where tools may lead to a next turn: the last one for that turn, and
 * the one that was last before, because a mark finds what is kept at most 20 blocks back, and a turn may have more.
 */
export function withCacheMarks(provider: ModelProvider, { prompt, tools }: Cacheable): Cacheable {
  if (provider !== 'anthropic') return { prompt, tools };
  const asked = prompt.flatMap(({ role }, at) => (role === 'user' || role === 'tool' ? [at] : []));
  const marked = new Set(tools.length === 0 ? [] : asked.slice(-MARKED_MESSAGES));
  return {
    prompt: prompt.map((message, at) =>
      message.role === 'system' || marked.has(at) ? { ...message, ...KEPT } : message,
    ),
    tools: tools.map((tool, at) => (at === tools.length - 1 ? { ...tool, ...KEPT } : tool)),
  };
}
