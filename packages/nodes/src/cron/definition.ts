import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

const FIVE_FIELDS = /^\s*([\d*,/\-a-z#?]+\s+){4}[\d*,/\-a-z#?]+\s*$/i;

export const cron = defineNode({
  type: 'cron',
  title: 'Schedule',
  family: 'trigger',
  summary: 'Starts the workflow at the times of a cron expression.',
  icon: 'clock',
  traits: { role: 'trigger', error_settings: false },
  params: z.object({
    cronExpression: field
      .custom(
        z.string().regex(FIVE_FIELDS, {
          error: 'must have five fields: minute, hour, day of month, month, day of week',
        }),
        'Schedule',
        { kind: 'cron', help: 'Evaluated every minute in the configured time zone.' },
      )
      .default('0 * * * *'),
  }),
  initial: { cronExpression: '0 * * * *' },
  output: z.object({ cron: z.string(), triggered_at: z.string() }),
  ports: () => ({ inputs: [], outputs: ['output'] }),
  // Reads the clock when the run was not started by the schedule.
  effect: 'read',
  receives: 'clock',
});
