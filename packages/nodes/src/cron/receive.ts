import { receive } from '../receive.ts';
import { cron } from './definition.ts';
import { resolveSchedule } from './schedule.ts';

/** One run per due time (§6.2). The editor and the calendar ask the same schedule for the times that they show. */
export const receiveCron = receive(cron, {
  kind: 'clock',
  source: 'cron',
  causes_kept_days: 30,
  next: (call, after_ms) => resolveSchedule(call.params, call).next(after_ms),
  event: (_call, due_ms) => {
    const triggered_at = new Date(due_ms).toISOString();
    return { cause: triggered_at, input: { triggered_by: 'cron', triggered_at } };
  },
  misfire: ({ params }) => ({
    policy: params.misfirePolicy,
    grace_ms: params.misfireGraceMinutes * 60_000,
  }),
});
