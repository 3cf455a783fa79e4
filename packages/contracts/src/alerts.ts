import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { storedName, storedText } from './text.ts';

const DAY_MINUTES = 1_440;
/** A week: older runs say nothing about now. */
const MOST_MINUTES = 7 * DAY_MINUTES;

/**
 * `error_rate`: percent of the runs that ended within the window and failed. `duration`: 95th percentile of their
 * milliseconds. `silence`: no run began for as long as the window.
 */
export const alertKind = z.enum(['error_rate', 'duration', 'silence']);
export type AlertKind = z.infer<typeof alertKind>;

const clockTime = (most: RegExp) => z.string().regex(most, 'must be a time of day such as 09:30');

/** The fields that an owner enters. */
const fields = {
  name: storedName(255),
  workflow_id: uuid.describe('The workflow whose runs are checked.'),
  target_workflow_id: uuid.describe(
    'The workflow that is started, with the rights of the owner of the alert.',
  ),
  kind: alertKind,
  window_minutes: z.int().min(1).max(MOST_MINUTES).describe('How far back a check reads, up to a week.'),
  threshold: z
    .number()
    .positive()
    .max(604_800_000)
    .nullable()
    .describe(
      'From this value on the condition holds: percent of an error rate, milliseconds of a duration; null for silence.',
    ),
  least_runs: z
    .int()
    .min(1)
    .max(10_000)
    .describe('Fewer runs within the window than this say nothing. Silence ignores it.'),
  days: z
    .array(z.int().min(1).max(7))
    .min(1)
    .max(7)
    .describe(
      'Days of the week on which it is checked, 1 for Monday. Silence counts no other time, so that a weekend does not make it longer.',
    ),
  from: clockTime(/^([01]\d|2[0-3]):[0-5]\d$/).describe('Time of day from which on it is checked.'),
  until: clockTime(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/).describe('Time of day up to which it is checked.'),
  time_zone: storedText(64).nullable().describe('IANA name; null: that of the service.'),
  repeats: z
    .boolean()
    .describe('Starts the workflow again in each further window while the condition holds, not only once.'),
  active: z.boolean(),
};

export const alert = z
  .object({
    id: uuid,
    ...fields,
    days: z.array(z.int()),
    workflow_name: z.string(),
    target_workflow_name: z.string(),
    state: z.enum(['ok', 'firing']).describe('`firing`: the condition held at the last check.'),
    state_since: timestamp,
    checked_at: timestamp.nullable(),
    value: z
      .number()
      .nullable()
      .describe('What was found then, in the unit of the threshold; of silence the minutes.'),
    last_run_id: uuid.nullable(),
    last_started_at: timestamp.nullable(),
    problem: z.string().nullable().describe('Why it cannot do its work, in plain words.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Alert' });
export type Alert = z.infer<typeof alert>;

const tag = 'Alerts';
const path = '/api/alerts';

/** Fields that are absent have these values. */
const body = z
  .object({
    ...fields,
    threshold: fields.threshold.default(null),
    least_runs: fields.least_runs.default(1),
    days: fields.days.default([1, 2, 3, 4, 5, 6, 7]),
    from: fields.from.default('00:00'),
    until: fields.until.default('24:00'),
    time_zone: fields.time_zone.default(null),
    repeats: fields.repeats.default(false),
    active: fields.active.default(true),
  })
  .refine(({ from, until }) => from < until, { error: 'must be after from', path: ['until'] })
  .refine(({ kind, threshold }) => kind === 'silence' || threshold !== null, {
    error: 'is required for an error rate and a duration',
    path: ['threshold'],
  })
  .refine(({ kind, threshold }) => kind !== 'error_rate' || threshold === null || threshold <= 100, {
    error: 'must be at most 100 percent',
    path: ['threshold'],
  });
export type AlertInput = z.output<typeof body>;

export const listAlerts = endpoint({
  id: 'listAlerts',
  method: 'GET',
  path,
  tag,
  summary: 'Own alerts, newest first',
  auth: 'session',
  response: z.array(alert),
});

export const createAlert = endpoint({
  id: 'createAlert',
  method: 'POST',
  path,
  tag,
  summary:
    'Create an alert on the runs of a workflow, which starts another workflow when its condition begins to hold. Both must be visible to the caller, who may have 100 alerts',
  auth: 'session',
  body,
  response: alert,
  status: 201,
  errors: ['not_found', 'conflict'],
});

export const readAlert = endpoint({
  id: 'readAlert',
  method: 'GET',
  path: `${path}/{id}`,
  tag,
  summary: 'Read an alert',
  auth: 'session',
  params: idParams,
  response: alert,
  errors: ['not_found'],
});

export const updateAlert = endpoint({
  id: 'updateAlert',
  method: 'PUT',
  path: `${path}/{id}`,
  tag,
  summary: 'Replace the fields of an alert; it is checked anew, and silence counts from now on',
  auth: 'session',
  params: idParams,
  body,
  response: alert,
  errors: ['not_found'],
});

export const deleteAlert = endpoint({
  id: 'deleteAlert',
  method: 'DELETE',
  path: `${path}/{id}`,
  tag,
  summary: 'Delete an alert',
  auth: 'session',
  params: idParams,
  errors: ['not_found'],
});

export const alertEndpoints = [listAlerts, createAlert, readAlert, updateAlert, deleteAlert];
