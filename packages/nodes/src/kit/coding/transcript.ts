import type { TokenUsage } from '@millrace/models';
import type { NodeCall } from '../../implement.ts';
import type { Heard } from './agent.ts';

const MOST_LOG_LINES = 300;

/** The messages of an agent while it works. */
export class Transcript {
  thread_id: string | null = null;
  last_words = '';
  failure: string | undefined;
  /** If the agent reported one. */
  model: string | undefined;
  readonly #call: Pick<NodeCall, 'services' | 'progress'>;
  #usage: TokenUsage | null = null;
  #cost_usd = 0;
  #lines = 0;

  constructor(call: Pick<NodeCall, 'services' | 'progress'>) {
    this.#call = call;
  }

  get usage(): TokenUsage | null {
    return this.#usage;
  }

  /** US dollars, as far as the agent says. */
  get cost_usd(): number {
    return this.#cost_usd;
  }

  take(heard: Heard | undefined): void {
    switch (heard?.kind) {
      case 'thread':
        this.thread_id = heard.id;
        return;
      case 'failed':
        this.failure = heard.message;
        return;
      case 'model':
        this.model = heard.model;
        return;
      case 'usage':
        this.#usage = heard.is_total || !this.#usage ? heard.usage : addUsage(this.#usage, heard.usage);
        this.#cost_usd += heard.cost_usd ?? 0;
        return;
      case 'said':
        this.last_words = heard.text;
        this.#tell(heard.text);
        return;
      case 'did':
        this.#tell(heard.text);
        return;
      case undefined:
        return;
      default:
        return heard satisfies never;
    }
  }

  totals(): { [name: string]: number } {
    return { ...this.#usage, ...(this.#cost_usd > 0 ? { cost_usd: this.#cost_usd } : {}) };
  }

  #tell(text: string): void {
    this.#lines += 1;
    const { services } = this.#call;
    if (this.#lines <= MOST_LOG_LINES) services.log('info', text.slice(0, 2_000));
    this.#call.progress({ stage: 'agent', text: text.slice(0, 2_000) });
  }
}

const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  prompt_tokens: a.prompt_tokens + b.prompt_tokens,
  completion_tokens: a.completion_tokens + b.completion_tokens,
  total_tokens: a.total_tokens + b.total_tokens,
  cached_tokens: (a.cached_tokens ?? 0) + (b.cached_tokens ?? 0),
  ...(a.cache_write_tokens || b.cache_write_tokens
    ? { cache_write_tokens: (a.cache_write_tokens ?? 0) + (b.cache_write_tokens ?? 0) }
    : {}),
});
