import { field } from '@millrace/engine';
import { z } from 'zod';
import { numeric } from '../values/numeric.ts';

/** 30 days. */
const MOST_MINUTES = 30 * 24 * 60;
const DAY_MINUTES = 24 * 60;

/** Parameters with which a trigger recognises events that say the same. The engine checks the expression (`eventKeyProblem`). */
export const eventKeyFields = (placeholder: string) => ({
  deduplicateBy: field
    .custom(z.string().trim(), 'Deduplicate by', {
      kind: 'event_key',
      group: 'Duplicates',
      placeholder,
      help: 'Of events with the same value, only the first within the window starts a run. An event without a value always starts one.',
    })
    .default(''),
  deduplicateMinutes: numeric('Window in minutes', {
    group: 'Duplicates',
    min: 1,
    max: MOST_MINUTES,
    help: 'From the event that started the run.',
  }).default(DAY_MINUTES),
});
