import type { JsonObject, VariableWrite } from '@millrace/engine';
import { readTargets, type Targets, type Turn, takeTurn } from '../../kit/models/ask.ts';
import { budgetStopIn } from '../../kit/models/budgets/budget-stop.ts';
import type { Prepared } from '../../kit/models/request.ts';
import type { Route } from '../../kit/models/route.ts';
import { Approvals } from '../tools/approvals.ts';
import { LargeResults } from '../tools/large-results.ts';
import type { Reviews } from '../tools/reviews.ts';
import { type AgentCall, getWrites, type Tool, withOwnNames } from '../tools/tool.ts';
import { answersTo, type Done, useTools } from '../tools/use-tools.ts';
import { type Context, compressed, isFull } from './compress.ts';
import { LIMIT_WORDS, type Limit, limitReached } from './limits.ts';
import type { TokenCount } from './token-count.ts';

/** How the work of an agent ended, and what it took. */
export interface Ended {
  /** The last answer; empty after a refusal. */
  readonly turn: Turn | undefined;
  readonly text: string;
  /** The request that the last answer was asked with. */
  readonly request: Prepared;
  readonly is_refused: boolean;
  readonly limit: Limit | undefined;
  readonly spent: Spent;
}

export interface Spent {
  readonly llm_ms: number;
  readonly tools_ms: number;
  readonly tool_calls: readonly JsonObject[];
  readonly routes: readonly Route[];
  readonly variables: readonly VariableWrite[];
  readonly disables: readonly string[];
  readonly generated_files: readonly JsonObject[];
  readonly used_fallback: boolean;
}

const NO_MORE_TOOLS = 'No more tools can be used. Answer now with what you have.';

/** One conversation of the agent with its model, from the question to the answer. */
export class Conversation {
  readonly #call: AgentCall;
  readonly #prepared: Prepared;
  readonly #own: readonly Tool[];
  readonly #reviews: Reviews;
  readonly #approvals: Approvals;
  readonly #tokens: TokenCount;
  readonly #large = new LargeResults();
  #context: Context;
  #request: Prepared;
  #targets: Targets;
  #answers = 0;
  #spent: Spent = {
    llm_ms: 0,
    tools_ms: 0,
    tool_calls: [],
    routes: [],
    variables: [],
    disables: [],
    generated_files: [],
    used_fallback: false,
  };

  constructor(call: AgentCall, { prepared, tools, reviews, tokens }: Begun) {
    this.#call = call;
    this.#tokens = tokens;
    this.#prepared = prepared;
    this.#request = prepared;
    this.#own = tools;
    this.#reviews = reviews;
    this.#approvals = new Approvals(call, reviews);
    this.#context = { opening: prepared.messages, work: [] };
    this.#targets = readTargets(call.params);
  }

  /** Asks and uses tools until the model answers, a person refuses, or a limit is reached. */
  async run(): Promise<Ended> {
    try {
      return await this.#work();
    } catch (error) {
      // Without a turn there is nothing done so far that a result could keep.
      if (!budgetStopIn(error) || this.#answers === 0) throw error;
      return this.#ended({ text: LIMIT_WORDS.cost_budget, limit: 'cost_budget' });
    }
  }

  async #work(): Promise<Ended> {
    for (let turn = 1; ; turn++) {
      const { waited_ms } = this.#reviews;
      const limit = await limitReached(this.#call, { turn, tokens: this.#tokens, waited_ms });
      if (limit) return this.#atLimit(limit, turn);
      const tools = this.#tools;
      const asked = await this.#ask(turn, tools);
      const { text, tool_calls = [], reasoning } = asked.answer;
      if (tool_calls.length === 0) return this.#ended({ turn: asked, text });
      const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
      const toolbox = { tools: byName, approvals: this.#approvals };
      const done = await useTools(this.#call, toolbox, { uses: tool_calls, turn });
      this.#note(done);
      if (done.some(({ used }) => used.refused === true)) {
        return this.#ended({ turn: asked, text: '', is_refused: true });
      }
      const results = answersTo(tool_calls, done, this.#large, turn);
      const answer = { role: 'assistant' as const, text, tool_calls, ...(reasoning ? { reasoning } : {}) };
      const { opening, work } = this.#context;
      this.#context = { opening, work: [...work, answer, { role: 'tool', results }] };
    }
  }

  /** Those of the agent, and one that reads long results as soon as there are some; each has a name of its own. */
  get #tools(): readonly Tool[] {
    return withOwnNames([...this.#own, ...this.#large.tools]);
  }

  /** @param more what is said to the model behind the conversation */
  async #ask(turn: number, tools: readonly Tool[], more: Partial<Prepared> = {}): Promise<Turn> {
    const prepared = { ...this.#prepared, tools: tools.map(({ definition }) => definition) };
    if (isFull(prepared, this.#context, this.#call.params.contextWindowTokens)) {
      this.#context = await compressed(this.#context, prepared, (question) =>
        this.#take(`compress-${turn}`, question),
      );
    }
    const { opening, work } = this.#context;
    return this.#take(`model-${turn}`, {
      ...prepared,
      ...more,
      messages: [...opening, ...work, ...(more.messages ?? [])],
    });
  }

  async #take(key: string, prepared: Prepared): Promise<Turn> {
    const turn = await takeTurn(this.#call, key, this.#targets, prepared);
    this.#count(turn);
    this.#request = prepared;
    // A model that failed once is not asked again by this agent, and what a router chose stays chosen.
    this.#targets = { first: turn.target, second: turn.is_fallback ? undefined : this.#targets.second };
    return turn;
  }

  /** One last call without tools, unless tokens or time are used up. */
  async #atLimit(limit: Limit, turn: number): Promise<Ended> {
    if (limit !== 'maxToolIterations') return this.#ended({ text: LIMIT_WORDS[limit], limit });
    const last = await this.#ask(turn, this.#tools, {
      messages: [{ role: 'user', text: NO_MORE_TOOLS }],
      is_last: true,
    });
    const text = last.answer.text === '' ? LIMIT_WORDS[limit] : last.answer.text;
    return this.#ended({ turn: last, text, limit });
  }

  #count({ answer: { usage, elapsed_ms }, target, is_fallback }: Turn): void {
    const { llm_ms, routes, used_fallback } = this.#spent;
    this.#answers += 1;
    this.#tokens.add(usage);
    this.#spent = {
      ...this.#spent,
      llm_ms: llm_ms + elapsed_ms,
      routes: target.route ? [...routes, target.route] : routes,
      used_fallback: used_fallback || is_fallback,
    };
  }

  #note(done: readonly Done[]): void {
    const { tools_ms, tool_calls, variables, disables, generated_files } = this.#spent;
    for (const { used } of done) if (used.usage) this.#tokens.add(used.usage);
    this.#spent = {
      ...this.#spent,
      tools_ms: tools_ms + done.reduce((sum, { used }) => sum + used.elapsed_ms, 0),
      tool_calls: [...tool_calls, ...done.map(({ entry }) => entry)],
      variables: [...variables, ...done.flatMap(({ used }) => getWrites(used))],
      disables: [...disables, ...done.flatMap(({ used }) => used.disables ?? [])],
      generated_files: [...generated_files, ...done.flatMap(({ used }) => used.generated_files ?? [])],
    };
  }

  #ended({
    turn,
    text,
    is_refused = false,
    limit,
  }: {
    turn?: Turn;
    text: string;
    is_refused?: boolean;
    limit?: Limit;
  }): Ended {
    return { turn, text, is_refused, limit, request: this.#request, spent: this.#spent };
  }
}

export interface Begun {
  readonly prepared: Prepared;
  readonly tools: readonly Tool[];
  readonly reviews: Reviews;
  readonly tokens: TokenCount;
}
