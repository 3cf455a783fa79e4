import { useCallback } from 'react';
import { useFormatter } from 'use-intl';

/** The start of a bucket in words; those of days are days in UTC, as they are counted. */
export function useBucketTime(byDay: boolean): (at: string) => string {
  const format = useFormatter();
  return useCallback(
    (at) =>
      byDay
        ? format.dateTime(new Date(at), { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
        : format.dateTime(new Date(at), {
            day: 'numeric',
            month: 'short',
            hour: 'numeric',
            minute: '2-digit',
          }),
    [format, byDay],
  );
}
