import { clsx } from 'clsx';
import { Check, ChevronDown } from 'lucide-react';
import { Select as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { CONTROL } from './input.tsx';

export interface Choice<T extends string = string> {
  value: T;
  label: string;
  icon?: ReactNode;
  hint?: string;
  disabled?: boolean;
}

interface SelectProps<T extends string> {
  value: T | undefined;
  choices: readonly Choice<T>[];
  onChange: (value: T) => void;
  placeholder?: string;
  disabled?: boolean;
  size?: 'small' | 'medium';
  /** As wide as its longest choice instead of as wide as its place. */
  fit?: boolean;
  className?: string;
  id?: string;
  'aria-label'?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
  'aria-required'?: true;
}

/** Radix keeps the empty string for "nothing chosen", so an empty value travels under another name. */
const EMPTY = '\u0000';
const outside = (value: string) => (value === EMPTY ? '' : value);
const inside = (value: string) => (value === '' ? EMPTY : value);

export function Select<T extends string>({
  value,
  choices,
  onChange,
  placeholder,
  disabled = false,
  size = 'medium',
  fit = false,
  className,
  'aria-required': required,
  ...aria
}: SelectProps<T>) {
  return (
    <Primitive.Root
      {...(value === undefined ? { value: '' } : { value: inside(value) })}
      onValueChange={(next) => onChange(outside(next) as T)}
      disabled={disabled}
      required={required ?? false}
    >
      <Primitive.Trigger
        className={clsx(
          CONTROL,
          fit && '!w-auto',
          'inline-flex items-center justify-between gap-1.5 pr-1.5 pl-2.5 text-left whitespace-nowrap data-[placeholder]:text-faint',
          size === 'small' ? 'h-[var(--control-height-small)] text-sm' : 'h-[var(--control-height)]',
          className,
        )}
        {...aria}
      >
        <span className="truncate">
          <Primitive.Value placeholder={placeholder} />
        </span>
        <ChevronDown className="size-3.5 shrink-0 text-faint" aria-hidden />
      </Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-[min(380px,var(--radix-select-content-available-height))] min-w-[var(--radix-select-trigger-width)] animate-rise overflow-hidden rounded-l border border-line-strong bg-raised shadow-m"
        >
          <Primitive.Viewport className="p-1">
            {choices.map((choice) => (
              <Primitive.Item
                key={choice.value}
                value={inside(choice.value)}
                disabled={choice.disabled ?? false}
                className="flex min-h-7 cursor-default items-center gap-2 rounded-s py-1 pr-2 pl-2 text-base outline-none select-none data-[disabled]:opacity-45 data-[highlighted]:bg-hover pointer-coarse:min-h-10"
              >
                <span className="flex grow flex-col">
                  <Primitive.ItemText>
                    <span className="inline-flex items-center gap-2 [&>svg]:size-4">
                      {choice.icon}
                      {choice.label}
                    </span>
                  </Primitive.ItemText>
                  {choice.hint ? <span className="text-sm text-faint">{choice.hint}</span> : null}
                </span>
                <Primitive.ItemIndicator>
                  <Check className="size-4 text-accent-text" aria-hidden />
                </Primitive.ItemIndicator>
              </Primitive.Item>
            ))}
          </Primitive.Viewport>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
