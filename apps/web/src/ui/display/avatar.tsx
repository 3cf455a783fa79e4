import { clsx } from 'clsx';
import { initials } from './initials.ts';

/** A person's or team's initials. Decoration: the name stands beside it. */
export function Avatar({
  name,
  square = false,
  className,
}: {
  name: string;
  square?: boolean;
  className?: string;
}) {
  return (
    <span
      aria-hidden
      className={clsx(
        'inline-flex size-6 shrink-0 items-center justify-center border border-accent-line bg-accent-tint text-[10.5px] font-semibold text-accent-text select-none',
        square ? 'rounded-s' : 'rounded-full',
        className,
      )}
    >
      {initials(name)}
    </span>
  );
}
