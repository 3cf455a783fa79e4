import { clsx } from 'clsx';
import { Command } from 'cmdk';
import { ChevronDown } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useId, useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { bestMatches } from '../../lib/fuzzy.ts';
import { ChoiceRow, ChoiceSearch, NOTHING_FOUND } from './choice-search.tsx';
import { CONTROL } from './input.tsx';
import type { Choice } from './select.tsx';

/** More would take longer to draw than to type a further letter. */
const SHOWN = 50;

interface PickerProps {
  value: string;
  choices: readonly Choice[];
  onChange: (value: string) => void;
  /** Shown above the choices, and chooses the empty text: "Any workflow". */
  none?: string;
  placeholder?: string;
  disabled?: boolean;
  /** As wide as its text instead of as wide as its place. */
  fit?: boolean;
  className?: string;
  id?: string;
  'aria-label'?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
  'aria-required'?: true;
}

/** A choice among many, found by typing. For a handful use `Select`. */
export function Picker({
  value,
  choices,
  onChange,
  none,
  placeholder,
  disabled = false,
  fit = false,
  className,
  'aria-required': _required,
  'aria-label': label,
  ...aria
}: PickerProps) {
  const [open, setOpen] = useState(false);
  const panel = useId();
  const chosen = choices.find((choice) => choice.value === value);
  const text = chosen?.label ?? (value === '' ? (none ?? placeholder) : value);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        role="combobox"
        aria-expanded={open}
        aria-controls={open ? panel : undefined}
        aria-label={label === undefined ? undefined : `${label}: ${text ?? ''}`}
        disabled={disabled}
        className={clsx(
          CONTROL,
          fit && '!w-auto',
          'inline-flex h-[var(--control-height)] items-center justify-between gap-1.5 pr-1.5 pl-2.5 text-left whitespace-nowrap',
          !chosen && none === undefined && '!text-faint',
          className,
        )}
        {...aria}
      >
        <span className="inline-flex min-w-0 items-center gap-2 truncate [&>svg]:size-4">
          {chosen?.icon}
          <span className="truncate">{text}</span>
        </span>
        <ChevronDown className="size-3.5 shrink-0 text-faint" aria-hidden />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          id={panel}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 w-[max(var(--radix-popover-trigger-width),260px)] max-w-[calc(100vw-16px)] animate-rise overflow-hidden rounded-l border border-line-strong bg-raised shadow-m"
        >
          <Choices
            value={value}
            choices={choices}
            none={none}
            name={label ?? placeholder ?? none}
            onChoose={(next) => {
              setOpen(false);
              onChange(next);
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface ChoicesProps {
  value: string;
  choices: readonly Choice[];
  none: string | undefined;
  /** Name of the list for screen readers: what is chosen from it. */
  name: string | undefined;
  onChoose: (value: string) => void;
}

function Choices({ value, choices, none, name, onChoose }: ChoicesProps) {
  const t = useTranslations('ui');
  const label = name ?? t('find');
  const [words, setWords] = useState('');
  const found = useMemo(
    () => bestMatches(choices, words, (choice) => [choice.label, choice.hint ?? '']),
    [choices, words],
  );
  const hidden = found.length - SHOWN;
  return (
    <ChoiceSearch label={label} words={words} onWords={setWords}>
      <Command.Empty className={NOTHING_FOUND}>{t('nothing_found')}</Command.Empty>
      {none !== undefined && words === '' ? (
        <ChoiceRow id="none" label={none} chosen={value === ''} onChoose={() => onChoose('')} />
      ) : null}
      {found.slice(0, SHOWN).map((choice) => (
        <ChoiceRow
          key={choice.value}
          id={`choice.${choice.value}`}
          label={choice.label}
          hint={choice.hint}
          icon={choice.icon}
          chosen={choice.value === value}
          disabled={choice.disabled ?? false}
          onChoose={() => onChoose(choice.value)}
        />
      ))}
      {hidden > 0 ? (
        <p className="px-2 py-1.5 text-sm text-faint">{t('more_choices', { count: hidden })}</p>
      ) : null}
    </ChoiceSearch>
  );
}
