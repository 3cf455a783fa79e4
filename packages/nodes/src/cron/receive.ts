import { NodeFailure } from '@millrace/engine';
import { Cron } from 'croner';
import { receive } from '../receive.ts';
import { cron } from './definition.ts';

/** Distinct expressions that are kept parsed. */
const MOST_KEPT = 5_000;

const parsed = new Map<string, Cron>();

function scheduleOf(expression: string, zone: string): Cron {
  const key = `${zone} ${expression}`;
  const known = parsed.get(key);
  if (known) return known;
  if (parsed.size >= MOST_KEPT) parsed.clear();
  try {
    // Five fields, as the form shows them; anything else would be read in a way that it does not show.
    const schedule = new Cron(expression, { timezone: zone, mode: '5-part', paused: true });
    parsed.set(key, schedule);
    return schedule;
  } catch (error) {
    const message = `"${expression}" is no schedule; enter five fields such as 0 9 * * 1-5`;
    throw new NodeFailure({ kind: 'params', field: 'cronExpression', message }, { cause: error });
  }
}

/** One run per due time (§6.2). The editor asks the same library for the times that it shows. */
export const receiveCron = receive(cron, {
  kind: 'clock',
  source: 'cron',
  causes_kept_days: 30,
  next: ({ params, services }, after_ms) =>
    scheduleOf(params.cronExpression, services.time_zone).nextRun(new Date(after_ms))?.getTime(),
  event: (_call, due_ms) => {
    const triggered_at = new Date(due_ms).toISOString();
    return { cause: triggered_at, input: { triggered_by: 'cron', triggered_at } };
  },
});
