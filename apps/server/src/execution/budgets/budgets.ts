import { findPrice } from '@millrace/models';
import { budgetStop } from '@millrace/nodes/runtime';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import type { Database } from '../../database/database.ts';
import type { Budgets, Spender } from '../../ports/run/budgets.ts';
import type { Traces } from '../../ports/run/traces.ts';
import {
  type CostLimit,
  computeDayStart,
  listLimits,
  listRunLimits,
  loadSpending,
  WARNED_FROM,
} from './limits.ts';
import { createUserBudgets, type UserBudgetsNeeds } from './user-budgets.ts';

export interface BudgetsNeeds extends Omit<UserBudgetsNeeds, 'sql'> {
  readonly config: Pick<Config, 'MODEL_PRICES' | 'TIMEZONE'>;
  readonly database: Pick<Database, 'sql'>;
  readonly traces: Pick<Traces, 'flush'>;
  readonly log: Logger;
  readonly now: () => number;
}

/** Warnings that are remembered, so that each is logged once. */
const MOST_WARNINGS = 10_000;

const DOLLARS = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 6,
});

export function createBudgets({ config, database, traces, log, now, ...hints }: BudgetsNeeds): Budgets {
  const { sql } = database;
  const users = createUserBudgets({ sql, ...hints });
  const warned = new LRUCache<string, true>({ max: MOST_WARNINGS });

  function warnOnce(key: string, facts: object, words: string): void {
    if (warned.has(key)) return;
    warned.set(key, true);
    log.warn(facts, words);
  }

  const dayStart = (): string => computeDayStart(now(), config.TIMEZONE);

  async function requireRoom(limits: readonly CostLimit[], about: object): Promise<void> {
    // Costs that this process knows and has not stored yet; other processes store theirs within moments.
    await traces.flush();
    const spent = await loadSpending(sql, limits);
    for (const [at, limit] of limits.entries()) {
      const { budget, id, amount_usd } = limit;
      const spent_usd = spent[at] ?? 0;
      if (spent_usd >= amount_usd) throw usedUp(limit, spent_usd);
      if (spent_usd < amount_usd * WARNED_FROM) continue;
      warnOnce(
        `${budget} ${id}`,
        { ...about, budget, budget_id: id, amount_usd, spent_usd },
        'a cost budget is used to 80 % or more',
      );
    }
  }

  return {
    async require(call, spender) {
      const user_budget_usd = await users.of(spender.user_id);
      const limits = listLimits(spender, { user_budget_usd, dayStart });
      if (limits.length === 0) return;
      const about = { ...toLogFields(spender), provider: call.provider, model: call.model };
      if (call.reports_cost || findPrice(call, config.MODEL_PRICES)) return requireRoom(limits, about);
      warnOnce(
        `unpriced ${call.provider ?? ''} ${call.model} ${spender.run?.workflow.id ?? spender.user_id}`,
        about,
        'a model without a known price is asked under a cost budget, and does not count',
      );
    },
    async requireLeft(spender) {
      const limits = listRunLimits(spender.run);
      if (limits.length > 0) await requireRoom(limits, toLogFields(spender));
    },
  };
}

const toLogFields = ({ user_id, run }: Spender): object => ({
  user_id,
  ...(run ? { run_id: run.run_id, workflow_id: run.workflow.id } : {}),
});

function usedUp({ budget, title, place, amount_usd, is_private }: CostLimit, spent_usd: number) {
  if (is_private) return budgetStop(`The cost budget of ${title} is used up; raise it ${place}`, { budget });
  const amount = DOLLARS.format(amount_usd);
  return budgetStop(
    `The cost budget of ${title} is used up: ${DOLLARS.format(spent_usd)} of ${amount} was spent; raise it ${place}`,
    { budget, amount_usd, spent_usd },
  );
}
