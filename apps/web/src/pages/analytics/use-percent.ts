import { useCallback } from 'react';
import { useFormatter } from 'use-intl';

/** A share from 0 to 100 as the language writes it. */
export function usePercent(): (share: number) => string {
  const format = useFormatter();
  return useCallback(
    (share) => format.number(share / 100, { style: 'percent', maximumFractionDigits: 2 }),
    [format],
  );
}
