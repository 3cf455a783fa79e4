import { clsx } from 'clsx';
import { keySymbols } from './key-symbols.ts';

const isApple = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A shortcut as key caps. Screen readers get it as words. */
export function Keys({ keys, inverse = false }: { keys: string; inverse?: boolean }) {
  return (
    <span
      className="inline-flex shrink-0 items-center gap-0.5"
      aria-label={keySymbols(keys, isApple).join(' ')}
    >
      {keySymbols(keys, isApple).map((symbol) => (
        <kbd
          key={symbol}
          className={clsx(
            'inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-s border px-1 font-sans text-xs leading-none',
            inverse ? 'border-current/40' : 'border-line-strong bg-surface text-faint',
          )}
        >
          {symbol}
        </kbd>
      ))}
    </span>
  );
}
