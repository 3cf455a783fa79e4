import type { AgentCall } from '../tools/tool.ts';
import type { TokenCount } from './token-count.ts';

/** A limit of the node that ended its work. */
export type Limit = 'maxToolIterations' | 'maxRunSeconds' | 'maxTotalTokens' | 'cost_budget';

/** Visitors of a portal read them, so they name no amount of money. */
export const LIMIT_WORDS: Readonly<Record<Limit, string>> = {
  maxToolIterations: 'Tool iteration limit reached.',
  maxRunSeconds: 'Time limit reached.',
  maxTotalTokens: 'Token limit reached.',
  cost_budget: 'Cost limit reached.',
};

/**
 * The limit that is reached before a turn, if one is. The time is read in a step: a repeated agent must decide the same.
 *
 * @param waited_ms time that it waited for people, which does not count
 */
export async function limitReached(
  call: AgentCall,
  { turn, tokens, waited_ms }: { turn: number; tokens: TokenCount; waited_ms: number },
): Promise<Limit | undefined> {
  const { maxToolIterations, maxRunSeconds, maxTotalTokens } = call.params;
  if (tokens.hasReached(maxTotalTokens)) return 'maxTotalTokens';
  if (typeof maxRunSeconds === 'number') {
    const now_ms = await call.step(`time-${turn}`, 'pure', () => call.services.now());
    if (now_ms - call.started_at_ms - waited_ms >= maxRunSeconds * 1_000) return 'maxRunSeconds';
  }
  return turn > maxToolIterations ? 'maxToolIterations' : undefined;
}
