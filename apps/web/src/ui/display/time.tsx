import { useEffect, useState } from 'react';
import { useFormatter, useLocale } from 'use-intl';
import { useNow } from './clock.ts';
import { durationText } from './duration.ts';

interface InstantProps {
  at: string;
  className?: string;
}

/** A time as its distance from now, renewed every half minute; the exact instant is the tooltip. */
function Distance({
  at,
  className,
  shownAt,
}: InstantProps & { shownAt: (at: number, now: number) => number }) {
  const format = useFormatter();
  const now = useNow();
  const instant = new Date(at);
  return (
    <time
      dateTime={at}
      title={format.dateTime(instant, { dateStyle: 'full', timeStyle: 'medium' })}
      className={className}
    >
      {format.relativeTime(new Date(shownAt(instant.getTime(), now)), now)}
    </time>
  );
}

/** "3 minutes ago". A server clock slightly ahead of ours must not say "in 2 seconds". */
export const Ago = (props: InstantProps) => <Distance {...props} shownAt={Math.min} />;

/** "in 3 days", of a time to come. */
export const Ahead = (props: InstantProps) => <Distance {...props} shownAt={Math.max} />;

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
