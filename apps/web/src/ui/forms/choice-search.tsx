import { clsx } from 'clsx';
import { Command } from 'cmdk';
import { Check, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

interface ChoiceSearchProps {
  /** Name of the list for screen readers: what is chosen from it. */
  label: string;
  words: string;
  onWords: (words: string) => void;
  /** More choices are on their way. */
  busy?: boolean;
  className?: string;
  /** Why there is no list, with a button to try again; a list may have neither. */
  notice?: ReactNode;
  /** Rows, and what is said where there are none. */
  children: ReactNode;
}

/** A field to type in above a list to choose from; the arrow keys move through the list. */
export function ChoiceSearch({
  label,
  words,
  onWords,
  busy,
  className = 'max-h-80',
  notice,
  children,
}: ChoiceSearchProps) {
  const t = useTranslations('ui');
  return (
    <Command shouldFilter={false} loop label={label} className={clsx('flex flex-col', className)}>
      <div className="flex items-center gap-2 border-b border-line px-2.5">
        <Search className="size-4 shrink-0 text-faint" aria-hidden />
        <Command.Input
          autoFocus
          value={words}
          onValueChange={onWords}
          placeholder={t('find')}
          className="h-9 w-full bg-transparent text-base outline-none"
        />
      </div>
      <Command.List label={label} className="min-h-0 grow overflow-y-auto p-1" aria-busy={busy}>
        {children}
      </Command.List>
      {notice}
    </Command>
  );
}

interface ChoiceRowProps {
  /** Unique within the list. */
  id: string;
  label: string;
  hint?: string | undefined;
  icon?: ReactNode;
  chosen: boolean;
  disabled?: boolean;
  onChoose: () => void;
}

export function ChoiceRow({ id, label, hint, icon, chosen, disabled = false, onChoose }: ChoiceRowProps) {
  return (
    <Command.Item
      value={id}
      disabled={disabled}
      onSelect={onChoose}
      className="flex min-h-8 cursor-default items-center gap-2 rounded-s px-2 py-1 text-base data-[disabled=true]:opacity-45 data-[selected=true]:bg-hover pointer-coarse:min-h-11 [&>svg]:size-4 [&>svg]:shrink-0"
    >
      {icon}
      <span className="flex min-w-0 grow flex-col">
        <span className="truncate">{label}</span>
        {hint ? <span className="truncate text-sm text-faint">{hint}</span> : null}
      </span>
      {chosen ? <Check className="text-accent-text" aria-hidden /> : null}
    </Command.Item>
  );
}

export const NOTHING_FOUND = 'px-2 py-4 text-center text-sm text-soft';
