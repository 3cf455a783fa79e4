import { ApiError, getDetail } from '../portal/requests.ts';
import { t, timeText } from '../texts.ts';

/** Why something could not be loaded. */
export function problemText(error: unknown): string {
  if (!(error instanceof ApiError)) return t('unreachable');
  if (error.status === 429) return t('too_many_requests', { time: timeText(error.wait_seconds ?? 60) });
  return getDetail(error) || t('unreachable');
}
