import { clsx } from 'clsx';

/** The product's mark: water over a weir. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" className={clsx('size-6 shrink-0', className)} aria-hidden>
      <rect width="24" height="24" rx="6" className="fill-accent" />
      <path
        d="M5.2 16.8V8.6l3.4 3.8L12 8.6l3.4 3.8 3.4-3.8v8.2"
        fill="none"
        className="stroke-on-accent"
        strokeWidth="2"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
