/** Tokens of calls of models, as providers count them. */
export type Tokens = { prompt_tokens: number; completion_tokens: number };

/**
 * The tokens of all calls for one agent: its answers and summaries, the repair of its JSON, its memory, and agents that
 * it asked. A repeated agent counts the recorded answers again, and comes to the same.
 */
export class TokenCount {
  #prompt = 0;
  #completion = 0;

  add({ prompt_tokens, completion_tokens }: Tokens): void {
    this.#prompt += prompt_tokens;
    this.#completion += completion_tokens;
  }

  get total(): number {
    return this.#prompt + this.#completion;
  }

  get usage(): Tokens & { total_tokens: number } {
    return { prompt_tokens: this.#prompt, completion_tokens: this.#completion, total_tokens: this.total };
  }

  /** @param most null for no limit */
  hasReached(most: number | null | undefined): boolean {
    return typeof most === 'number' && this.total >= most;
  }
}
