import { useEffect, useState } from 'react';
import { useFormatter, useLocale } from 'use-intl';
import { useNow } from './clock.ts';
import { durationText } from './duration.ts';

/** "3 minutes ago", renewed every half minute; the exact instant is the tooltip. */
export function Ago({ at, className }: { at: string; className?: string }) {
  const format = useFormatter();
  const now = useNow();
  const instant = new Date(at);
  // A server clock slightly ahead of ours must not say "in 2 seconds".
  const shown = new Date(Math.min(instant.getTime(), now));
  return (
    <time
      dateTime={at}
      title={format.dateTime(instant, { dateStyle: 'full', timeStyle: 'medium' })}
      className={className}
    >
      {format.relativeTime(shown, now)}
    </time>
  );
}

/** Date and time, with seconds where they tell runs apart. */
export function DateTime({
  at,
  seconds = false,
  className,
}: {
  at: string;
  seconds?: boolean;
  className?: string;
}) {
  const format = useFormatter();
  const instant = new Date(at);
  return (
    <time
      dateTime={at}
      title={format.dateTime(instant, { dateStyle: 'full', timeStyle: 'long' })}
      className={className}
    >
      {format.dateTime(instant, {
        year: 'numeric',
        month: 'short',
        day: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        ...(seconds ? { second: '2-digit' } : {}),
      })}
    </time>
  );
}

/** Time since a moment, updated every second. */
export function Elapsed({ since, className }: { since: string; className?: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <Duration ms={Math.max(0, now - Date.parse(since))} {...(className ? { className } : {})} />;
}

export function Duration({ ms, className }: { ms: number | null; className?: string }) {
  const locale = useLocale();
  return <span className={className ?? 'tabular'}>{ms === null ? '–' : durationText(ms, locale)}</span>;
}
