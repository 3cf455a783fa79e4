import type { LanguageModelV3FunctionTool, LanguageModelV3Prompt } from '@ai-sdk/provider';
import type { ModelProvider } from '../model-service.ts';

/** For five minutes from its last use, which costs a quarter more than a prompt that is not kept; later reads cost a tenth or less. */
const BREAKPOINT = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };
/** With those of the tools and of the system message these are the four that a request may have. */
const MESSAGE_BREAKPOINTS = 2;

interface Cacheable {
  readonly prompt: LanguageModelV3Prompt;
  readonly tools: readonly LanguageModelV3FunctionTool[];
}

/**
 * Anthropic keeps a prompt up to each breakpoint (platform.claude.com/docs/en/build-with-claude/prompt-caching); the
 * other providers keep prompts on their own. Messages have one only where tools may lead to a next turn: the last one for that turn, and
 * the one that was last before, because a breakpoint finds what is kept at most 20 blocks back, and a turn may have more.
 */
export function withCacheBreakpoints(provider: ModelProvider, { prompt, tools }: Cacheable): Cacheable {
  if (provider !== 'anthropic') return { prompt, tools };
  const asked = prompt.flatMap(({ role }, at) => (role === 'user' || role === 'tool' ? [at] : []));
  const marked = new Set(tools.length === 0 ? [] : asked.slice(-MESSAGE_BREAKPOINTS));
  return {
    prompt: prompt.map((message, at) =>
      message.role === 'system' || marked.has(at) ? { ...message, ...BREAKPOINT } : message,
    ),
    tools: tools.map((tool, at) => (at === tools.length - 1 ? { ...tool, ...BREAKPOINT } : tool)),
  };
}
