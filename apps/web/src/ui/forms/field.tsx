import { clsx } from 'clsx';
import { CircleAlert } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useTranslations } from 'use-intl';

export interface FieldControl {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
  'aria-required'?: true;
}

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  optional?: boolean;
  /** Keeps the label for screen readers only. */
  hideLabel?: boolean;
  /** Sits at the right end of the label line: a link, a counter. */
  aside?: ReactNode;
  className?: string;
  children: (control: FieldControl) => ReactNode;
}

/** Label, control, hint and error, tied together for assistive technology. */
export function Field({
  label,
  hint,
  error,
  required,
  optional,
  hideLabel,
  aside,
  className,
  children,
}: FieldProps) {
  const t = useTranslations('ui');
  const id = useId();
  const described = [error ? `${id}-error` : '', hint ? `${id}-hint` : '']
    .filter((part) => part !== '')
    .join(' ');
  return (
    <div className={clsx('flex min-w-0 flex-col gap-1', className)}>
      <div className={clsx('flex items-baseline justify-between gap-2', hideLabel && 'sr-only')}>
        <label htmlFor={id} className="text-sm font-medium text-text">
          {label}
          {optional ? <span className="ml-1.5 font-normal text-faint">{t('optional')}</span> : null}
        </label>
        {aside ? <span className="text-sm text-faint">{aside}</span> : null}
      </div>
      {children({
        id,
        ...(described ? { 'aria-describedby': described } : {}),
        ...(error ? { 'aria-invalid': true as const } : {}),
        ...(required ? { 'aria-required': true as const } : {}),
      })}
      {error ? (
        <p id={`${id}-error`} className="flex items-start gap-1 text-sm text-danger">
          <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden />
          {/* The service says "must be ..." of a field. */}
          <span className="inline-block first-letter:uppercase">{error}</span>
        </p>
      ) : null}
      {hint ? (
        <div id={`${id}-hint`} className="text-sm text-faint">
          {hint}
        </div>
      ) : null}
    </div>
  );
}
