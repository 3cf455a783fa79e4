import { clsx } from 'clsx';
import { Eye, EyeOff, Search, X } from 'lucide-react';
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useState,
} from 'react';
import { useTranslations } from 'use-intl';

export const CONTROL =
  'w-full min-w-0 rounded-m border border-control-line/70 bg-surface text-base text-text transition-[border-color,box-shadow] duration-[var(--duration)] hover:border-control-line focus-visible:border-focus focus-visible:outline-none focus-visible:shadow-[0_0_0_2px_color-mix(in_oklch,var(--focus)_35%,transparent)] disabled:bg-sunken disabled:text-faint aria-invalid:border-danger';

export interface InputProps extends InputHTMLAttributes<HTMLInputElement> {
  ref?: Ref<HTMLInputElement>;
  /** Sits inside the field before the text. */
  lead?: ReactNode;
  mono?: boolean;
}

export function Input({ className, lead, mono, type = 'text', ...rest }: InputProps) {
  const input = (
    <input
      type={type}
      className={clsx(
        CONTROL,
        'h-[var(--control-height)] px-2.5 read-only:bg-sunken',
        lead && 'pl-8',
        mono && 'font-mono text-sm',
        !lead && className,
      )}
      {...rest}
    />
  );
  if (!lead) return input;
  return (
    <span className={clsx('relative flex items-center', className)}>
      <span className="pointer-events-none absolute left-2.5 text-faint [&>svg]:size-4">{lead}</span>
      {input}
    </span>
  );
}

export interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  ref?: Ref<HTMLTextAreaElement>;
  mono?: boolean;
}

export function TextArea({ className, mono, rows = 3, ...rest }: TextAreaProps) {
  return (
    <textarea
      rows={rows}
      className={clsx(CONTROL, 'resize-y px-2.5 py-1.5', mono && 'font-mono text-sm', className)}
      {...rest}
    />
  );
}

export function PasswordInput({ className, ...rest }: Omit<InputProps, 'type' | 'lead'>) {
  const t = useTranslations('ui');
  const [shown, setShown] = useState(false);
  return (
    <span className={clsx('relative flex items-center', className)}>
      <Input
        type={shown ? 'text' : 'password'}
        spellCheck={false}
        autoCapitalize="off"
        {...rest}
        className="pr-9"
      />
      <button
        type="button"
        className="absolute right-1 inline-flex size-7 items-center justify-center rounded-s text-faint hover:text-text"
        aria-label={shown ? t('hide_secret') : t('show_secret')}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
      >
        {shown ? <EyeOff className="size-4" aria-hidden /> : <Eye className="size-4" aria-hidden />}
      </button>
    </span>
  );
}

interface SearchInputProps extends Omit<InputProps, 'type' | 'lead' | 'onChange' | 'value'> {
  value: string;
  label: string;
  onChange: (value: string) => void;
}

/** Escape empties the field first and leaves it second. */
export function SearchInput({ value, label, onChange, className, ...rest }: SearchInputProps) {
  const t = useTranslations('ui');
  return (
    <span className={clsx('relative flex items-center', className)}>
      <Input
        lead={<Search aria-hidden />}
        className="w-full"
        aria-label={label}
        placeholder={label}
        value={value}
        data-escape={value === '' ? undefined : ''}
        enterKeyHint="search"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          if (value === '') event.currentTarget.blur();
          else onChange('');
        }}
        {...rest}
      />
      {value === '' ? null : (
        <button
          type="button"
          className="absolute right-1 inline-flex size-6 items-center justify-center rounded-s text-faint hover:text-text"
          aria-label={t('clear_search')}
          onClick={() => onChange('')}
        >
          <X className="size-3.5" aria-hidden />
        </button>
      )}
    </span>
  );
}
