import type { PortalUsage, PortalVisitor } from '@millrace/contracts';
import { DAY_MS } from '@millrace/engine/units';
import type { Needs } from '../../../services.ts';
import { requireWorkflow } from '../../workflows/access.ts';
import * as queries from './queries.ts';
import { type DayOfRuns, portalRunsByDay } from './run-queries.ts';

type Reader = Needs<'db' | 'sql' | 'actor'>;

const toVisitor = (row: queries.VisitorRow): PortalVisitor => ({
  visitor_id: row.visitor_id,
  username: row.username,
  conversation_count: row.conversation_count,
  message_count: row.message_count,
  first_active_at: row.first_active_at.toISOString(),
  last_active_at: row.last_active_at.toISOString(),
});

/** Visitors of the portal, for those who see its runs, too (§5.8). */
export async function listVisitors(ctx: Reader, id: string, paging: queries.Paging) {
  const { row } = await requireWorkflow(ctx, id, 'read');
  const rows = await queries.listVisitors(ctx.sql, row.id, paging);
  // Behind the last page there is no row that says how many there are.
  const total =
    rows[0]?.total ?? (await queries.listVisitors(ctx.sql, row.id, { limit: 1, offset: 0 }))[0]?.total;
  return { items: rows.map(toVisitor), total: total ?? 0, ...paging };
}

type Counts = Omit<PortalUsage['total'], 'visitors'>;

const NONE: Counts = {
  messages: 0,
  runs: 0,
  failures: 0,
  refused: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cost_usd: null,
};

const sum = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b);

const added = (a: Counts, b: Counts): Counts => ({
  messages: a.messages + b.messages,
  runs: a.runs + b.runs,
  failures: a.failures + b.failures,
  refused: a.refused + b.refused,
  prompt_tokens: a.prompt_tokens + b.prompt_tokens,
  completion_tokens: a.completion_tokens + b.completion_tokens,
  cost_usd: sum(a.cost_usd, b.cost_usd),
});

/** The days (UTC) that end with today, with what is stored of them. */
export async function readUsage(ctx: Reader & Needs<'now'>, id: string, days: number): Promise<PortalUsage> {
  const { row } = await requireWorkflow(ctx, id, 'read');
  const today = Math.floor(ctx.now() / DAY_MS) * DAY_MS;
  const from = new Date(today - (days - 1) * DAY_MS);
  const [written, runs] = await Promise.all([
    queries.countMessages(ctx.sql, row.id, from),
    portalRunsByDay(ctx.sql, row.id, from),
  ]);
  const messages = new Map(written.days.map((day) => [day.date, day.messages]));
  const ran = new Map<string, DayOfRuns>(runs.map((day) => [day.date, day]));
  const listed = Array.from({ length: days }, (_, at) => {
    const date = new Date(from.getTime() + at * DAY_MS).toISOString().slice(0, 10);
    return { ...NONE, ...ran.get(date), messages: messages.get(date) ?? 0, date };
  });
  const total = listed.reduce<Counts>(added, NONE);
  return { days: listed, total: { visitors: written.visitors, ...total } };
}
