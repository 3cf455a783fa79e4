import { isJsonObject } from '@millrace/engine';
import { implement } from '../implement.ts';
import { cron } from './definition.ts';

export const runCron = implement(cron, ({ params, run_input, services }) => {
  const scheduled = isJsonObject(run_input) ? run_input['triggered_at'] : undefined;
  const triggeredAt = typeof scheduled === 'string' ? scheduled : new Date(services.now()).toISOString();
  const { scheduleMode, cronExpression, intervalValue, intervalUnit } = params;
  const schedule = scheduleMode === 'cron' ? cronExpression : `every ${intervalValue} ${intervalUnit}`;
  return { output: { cron: schedule, triggered_at: triggeredAt } };
});
