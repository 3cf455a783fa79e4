/**
 * The duration of a run is in `duration_ms`, and capped in `execution_time_ms`, which holds 24.8 days and is what the
 * version before reads and writes.
 */
export const cappedMs = (ms: string): string =>
  `(CASE WHEN ${ms} > 2147483647 THEN 2147483647 ELSE ${ms} END)::integer`;

/** Both columns in the SET list of an update of `runs`. */
export const setDuration = (ms: string): string =>
  `duration_ms = ${ms},\n  execution_time_ms = ${cappedMs(ms)}`;

/** As a number, for drivers give 64 bits as text. @param alias of the table, with its dot */
export const durationMs = (alias = ''): string =>
  `coalesce(${alias}duration_ms, ${alias}execution_time_ms)::float8`;
