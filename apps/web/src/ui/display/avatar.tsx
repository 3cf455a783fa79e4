import { clsx } from 'clsx';

/** Two letters for a name: of its first and last word, or the first two of a single word. */
function initials(name: string): string {
  const words = name
    .trim()
    .split(/[\s@._-]+/)
    .filter((word) => word !== '');
  const first = words[0] ?? '?';
  const last = words.length > 1 ? (words.at(-1) ?? '') : '';
  const [head, next] = Array.from(first);
  const letters = [head, last === '' ? next : Array.from(last)[0]];
  return letters.join('').toUpperCase();
}

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
