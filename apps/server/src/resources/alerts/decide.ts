import { MINUTE_MS } from '@millrace/engine/units';
import type { RunFigures } from './figure-queries.ts';
import type { AlertRow } from './queries.ts';

/** The result of a check of the runs. */
export interface Finding {
  /** In the unit of the threshold, of silence minutes; null: there are too few runs to say anything. */
  readonly value: number | null;
  readonly holds: boolean;
}

type Condition = Pick<AlertRow, 'kind' | 'threshold' | 'least_runs' | 'window_minutes'>;

/** Whether an error rate or a duration has reached its threshold. */
export function judgeFigures(
  { kind, threshold, least_runs }: Condition,
  { total, errors, p95_ms }: RunFigures,
): Finding {
  if (total < least_runs || total === 0) return { value: null, holds: false };
  const value = kind === 'error_rate' ? (errors / total) * 100 : (p95_ms ?? 0);
  return { value, holds: threshold !== null && value >= threshold };
}

/** @param silent_ms active time since the last run, counted up to the window */
export function judgeSilence({ window_minutes }: Condition, silent_ms: number): Finding {
  return {
    value: Math.floor(silent_ms / MINUTE_MS),
    holds: silent_ms >= window_minutes * MINUTE_MS,
  };
}

type Course = Pick<AlertRow, 'state' | 'state_since' | 'last_started_at' | 'repeats'>;

/** The condition holds, but its window had a start already when it began to. */
const hasNotStarted = ({ state_since, last_started_at }: Course): boolean =>
  last_started_at === null || last_started_at < state_since;

/**
 * Whether the workflow is started: when the condition begins to hold, and in each further window where the alert repeats.
 * The key of the run names alert and window, so each window has at most one start. A condition that ends and returns within
 * a window starts the workflow in the next window, if it still holds then.
 */
export const isStart = (alert: Course, { holds }: Finding): boolean =>
  holds && (alert.state === 'ok' || alert.repeats || hasNotStarted(alert));

export const windowStart = ({ window_minutes }: Pick<AlertRow, 'window_minutes'>, now_ms: number): number => {
  const window_ms = window_minutes * MINUTE_MS;
  return Math.floor(now_ms / window_ms) * window_ms;
};
