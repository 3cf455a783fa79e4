import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { EXPRESSIONS, findMistake } from '../kit/triggers/cron-expression.ts';

/** A date, or a date with a time, with or without the distance from UTC. */
const MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})?)?$/;

function isTimeZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const moment = (title: string, help: string) =>
  field
    .custom(
      z.string().refine((text) => text === '' || (MOMENT.test(text) && !Number.isNaN(Date.parse(text))), {
        error: 'must be a date such as 2026-12-01 or a time such as 2026-12-01T09:00',
      }),
      title,
      { kind: 'text', group: 'Period', placeholder: '2026-12-01T09:00', help },
    )
    .default('');

export const cron = defineNode({
  type: 'cron',
  title: 'Schedule',
  family: 'trigger',
  summary: 'Starts the workflow at the times of a cron expression or at an interval.',
  search_words: ['schedule trigger', 'timer', 'every', 'recurring'],
  icon: 'clock',
  traits: { role: 'trigger', error_settings: false },
  params: z.object({
    scheduleMode: field
      .choice('Repeats', ['cron', 'interval'], {
        choices: [
          { value: 'cron', title: 'At the times of a cron expression' },
          { value: 'interval', title: 'At an interval' },
        ],
      })
      .default('cron'),
    cronExpression: field
      .custom(
        z
          .string()
          .regex(EXPRESSIONS, {
            error:
              'must have five fields: minute, hour, day of month, month, day of week; seconds may come first as a sixth',
            abort: true,
          })
          .superRefine((text, ctx) => {
            const message = text.split('\n').flatMap((line) => findMistake(line) ?? [])[0];
            if (message !== undefined) ctx.addIssue({ code: 'custom', message });
          }),
        'Schedule',
        {
          kind: 'cron',
          help: 'One expression per line.',
          shown_when: [{ field: 'scheduleMode', is: ['cron'] }],
        },
      )
      .default('0 * * * *'),
    intervalValue: field
      .custom(z.coerce.number().int().min(1).max(100_000), 'Every', {
        kind: 'number',
        shown_when: [{ field: 'scheduleMode', is: ['interval'] }],
      })
      .default(1),
    intervalUnit: field
      .choice('Unit', ['seconds', 'minutes', 'hours', 'days', 'weeks'], {
        help: 'Counted from "Not before", otherwise from 1970-01-01 in UTC. A day is always 24 hours.',
        shown_when: [{ field: 'scheduleMode', is: ['interval'] }],
      })
      .default('hours'),
    timeZone: field
      .custom(
        z.string().refine((name) => name === '' || isTimeZone(name), {
          error: 'must be the name of a time zone such as Europe/Berlin',
        }),
        'Time zone',
        {
          kind: 'text',
          placeholder: 'Europe/Berlin',
          help: 'When it is empty: the time zone of the service.',
        },
      )
      .default(''),
    startsAt: moment('Not before', 'In the time zone of the schedule unless it has an offset.'),
    endsAt: moment('Not after', 'In the time zone of the schedule unless it has an offset.'),
    jitterSeconds: field
      .custom(z.coerce.number().int().min(0).max(3600), 'Random delay of up to (seconds)', {
        kind: 'number',
        group: 'Delays',
        help: 'Spreads schedules that fire at the same time. Each due time has its own fixed delay.',
      })
      .default(0),
    misfirePolicy: field
      .choice('Due times missed while the service was down', ['run_all', 'run_once', 'skip'], {
        group: 'Delays',
        choices: [
          { value: 'run_all', title: 'Run all of them' },
          { value: 'run_once', title: 'Run the last one' },
          { value: 'skip', title: 'Skip them' },
        ],
      })
      .default('run_all'),
    misfireGraceMinutes: field
      .custom(z.coerce.number().int().min(1).max(1440), 'Skip what is older than (minutes)', {
        kind: 'number',
        group: 'Delays',
        shown_when: [{ field: 'misfirePolicy', is: ['run_all', 'run_once'] }],
      })
      .default(10),
  }),
  initial: { cronExpression: '0 * * * *' },
  output: z.object({ cron: z.string(), triggered_at: z.string() }),
  ports: () => ({ inputs: [], outputs: ['output'] }),
  // Reads the clock when the run was not started by the schedule.
  effect: 'read',
  receives: 'clock',
});

export type CronParams = z.output<typeof cron.params>;
