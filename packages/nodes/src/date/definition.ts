import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations } from '../kit/integration/operations.ts';
import { numeric } from '../kit/values/numeric.ts';

const MOST = 10_000_000;

const { params: all, effect } = defineOperations({
  key: 'operation',
  initial: 'format',
  operations: {
    // Read and not pure: after a crash the recorded time is kept.
    now: { title: 'Current time', effect: 'read', fields: ['format'] },
    format: { title: 'Read and write a date', effect: 'pure', fields: ['value', 'format'] },
    add: { title: 'Add or subtract time', effect: 'pure', fields: ['value', 'amount', 'unit', 'format'] },
    startOf: { title: 'Start of a day or month', effect: 'pure', fields: ['value', 'period', 'format'] },
    endOf: { title: 'End of a day or month', effect: 'pure', fields: ['value', 'period', 'format'] },
    difference: { title: 'Time between two dates', effect: 'pure', fields: ['value', 'until'] },
  },
  fields: {
    value: field
      .value('Date', {
        placeholder: '$input.date',
        when_empty: 'Enter the date',
        help: 'Such as 2026-03-01 or 2026-03-01T08:30:00+01:00, or seconds since 1970.',
      })
      .default('$now'),
    until: field.value('Other date', { when_empty: 'Enter the other date' }).default('$now'),
    amount: numeric('How many', { min: -MOST, max: MOST, help: 'Less than zero subtracts.' }).default(1),
    unit: field
      .choice('Unit', ['days', 'weeks', 'months', 'years', 'hours', 'minutes', 'seconds'], {
        choices: [
          { value: 'days', title: 'Days' },
          { value: 'weeks', title: 'Weeks' },
          { value: 'months', title: 'Months' },
          { value: 'years', title: 'Years' },
          { value: 'hours', title: 'Hours' },
          { value: 'minutes', title: 'Minutes' },
          { value: 'seconds', title: 'Seconds' },
        ],
      })
      .default('days'),
    period: field
      .choice('Of the', ['day', 'month'], {
        choices: [
          { value: 'day', title: 'Day' },
          { value: 'month', title: 'Month' },
        ],
      })
      .default('day'),
    timeZone: field
      .template('Time zone', {
        placeholder: 'Europe/Berlin',
        help: 'Dates without an offset are read in it, and the result is written in it. Empty keeps the offset of the date.',
      })
      .default(''),
    format: field
      .template('Written as', {
        placeholder: 'DD.MM.YYYY',
        help: 'Tokens such as YYYY-MM-DD HH:mm:ss. Empty writes ISO 8601.',
      })
      .default(''),
  },
});

const { onUnknownOutcome: _, ...params } = all;

export const date = defineNode({
  type: 'date',
  title: 'Date',
  family: 'data',
  summary: 'Reads, writes and moves dates, and measures the time between them.',
  search_words: ['date & time', 'format date', 'timezone'],
  icon: [['path', { d: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4M9 15h6' }]],
  params: z.object(params),
  initial: { label: 'date', operation: 'format', value: '$now', timeZone: '', format: '' },
  output: z.object({
    value: z.string().optional(),
    unix: z.number().optional(),
    milliseconds: z.number().optional(),
    seconds: z.number().optional(),
    minutes: z.number().optional(),
    hours: z.number().optional(),
    days: z.number().optional(),
    calendar_days: z.int().optional(),
  }),
  effect,
});
