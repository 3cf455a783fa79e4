import { clsx } from 'clsx';
import { type ReactNode, useId } from 'react';

interface PortalSectionProps {
  title: string;
  hint: string;
  className?: string;
  children: ReactNode;
}

/** A part of the dialog under a heading of its own. */
export function PortalSection({ title, hint, className, children }: PortalSectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={clsx('flex flex-col', className)}>
      <div>
        <h3 id={id} className="text-base">
          {title}
        </h3>
        <p className="text-sm text-faint">{hint}</p>
      </div>
      {children}
    </section>
  );
}
