import type { AnswerRow } from '../rows.ts';

/** How often an answer is saved at least while it is written, also when nothing was added. */
export const BEAT_MS = 5_000;
/** An answer whose process is silent for so long is given up; clocks of processes may differ by some seconds. */
const SILENT_MS = 30_000;

/** Answers saved since then are in progress. */
export const silentSince = (now_ms: number): Date => new Date(now_ms - SILENT_MS);

/** Its process has ended, since it does not save it any more. */
export const isAbandoned = (
  { state, saved_at }: Pick<AnswerRow, 'state' | 'saved_at'>,
  now_ms: number,
): boolean => state === 'open' && saved_at < silentSince(now_ms);
