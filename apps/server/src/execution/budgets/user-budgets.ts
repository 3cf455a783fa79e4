import { FactCache } from '../../core/fact-cache.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { Broadcast } from '../../ports/coordination/broadcast.ts';
import type { ChangeClock } from '../../ports/coordination/change-clock.ts';

export interface UserBudgetsNeeds {
  readonly sql: SqlClient;
  readonly broadcast: Broadcast;
  readonly changes: ChangeClock;
}

const MOST_USERS = 5_000;
const DAILY = 'daily';

/** US dollars that a person may spend in a day; undefined: no budget. */
export async function loadUserBudget(sql: SqlClient, user_id: string): Promise<number | undefined> {
  const { rows } = await sql.query<{ daily_budget_usd: number | null }>({
    name: 'user_budget',
    text: 'SELECT daily_budget_usd FROM users WHERE id = $1',
    values: [user_id],
  });
  return rows[0]?.daily_budget_usd ?? undefined;
}

/** Daily budgets of people, read once per person, so that the calls of those without one read nothing. */
export function createUserBudgets({ sql, broadcast, changes }: UserBudgetsNeeds) {
  const facts = new FactCache<number | undefined>(changes, MOST_USERS);
  broadcast.subscribe('access_changed', (subject) => {
    const [kind, id = ''] = subject.split(':');
    if (kind === 'user') facts.forgetGroup(id);
  });

  return {
    of: (user_id: string) => facts.get(user_id, DAILY, () => loadUserBudget(sql, user_id)),
  };
}
