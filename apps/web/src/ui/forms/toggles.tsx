import { clsx } from 'clsx';
import { Check, Minus } from 'lucide-react';
import { Checkbox as Box, Switch as SwitchPrimitive, ToggleGroup } from 'radix-ui';
import { type ReactNode, useId, useRef } from 'react';
import { Tooltip } from '../overlays/tooltip.tsx';

interface CheckboxProps {
  checked: boolean | 'indeterminate';
  /** Also says whether the Shift key was down. */
  onChange: (checked: boolean, isShift: boolean) => void;
  label: ReactNode;
  hideLabel?: boolean;
  disabled?: boolean;
  className?: string;
}

export function Checkbox({
  checked,
  onChange,
  label,
  hideLabel = false,
  disabled = false,
  className,
}: CheckboxProps) {
  const id = useId();
  const isShift = useRef(false);
  return (
    <span className={clsx('inline-flex items-center gap-2', className)}>
      <Box.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onClick={(event) => {
          isShift.current = event.shiftKey;
        }}
        onCheckedChange={(next) => onChange(next === true, isShift.current)}
        className={clsx(
          'relative inline-flex size-4 shrink-0 items-center justify-center rounded-s border border-control-line bg-surface data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent disabled:opacity-50',
          // Without a label to touch, a finger that misses the box would open the row.
          hideLabel && 'pointer-coarse:after:absolute pointer-coarse:after:-inset-3',
        )}
      >
        <Box.Indicator className="text-on-accent">
          {checked === 'indeterminate' ? (
            <Minus className="size-3" strokeWidth={3} aria-hidden />
          ) : (
            <Check className="size-3" strokeWidth={3} aria-hidden />
          )}
        </Box.Indicator>
      </Box.Root>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-base'}>
        {label}
      </label>
    </span>
  );
}

interface SwitchProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
  hideLabel?: boolean;
}

export function Switch({ checked, onChange, label, hint, disabled = false, hideLabel = false }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-4">
      <div className={clsx('flex flex-col', hideLabel && 'sr-only')}>
        <label htmlFor={id} className="text-base font-medium">
          {label}
        </label>
        {hint ? (
          <span id={`${id}-hint`} className="text-sm text-faint">
            {hint}
          </span>
        ) : null}
      </div>
      <SwitchPrimitive.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
        className="relative mt-0.5 inline-flex h-[18px] w-8 shrink-0 items-center rounded-full bg-control-line transition-colors duration-[var(--duration)] data-[state=checked]:bg-accent disabled:opacity-50"
      >
        <SwitchPrimitive.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-surface shadow-s transition-transform duration-[var(--duration)] data-[state=checked]:translate-x-4" />
      </SwitchPrimitive.Root>
    </div>
  );
}

interface SegmentedProps<T extends string> {
  value: T;
  label: string;
  choices: readonly { value: T; label: string; icon?: ReactNode }[];
  onChange: (value: T) => void;
  /** Shows the icons only, with the words as tooltip. */
  iconsOnly?: boolean;
  size?: 'small' | 'medium';
}

/** One of a few, all visible. */
export function Segmented<T extends string>({
  value,
  label,
  choices,
  onChange,
  iconsOnly = false,
  size = 'medium',
}: SegmentedProps<T>) {
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      aria-label={label}
      onValueChange={(next) => {
        if (next !== '') onChange(next as T);
      }}
      className="inline-flex shrink-0 rounded-m border border-line-strong bg-sunken p-px"
    >
      {choices.map((choice) => {
        const item = (
          <ToggleGroup.Item
            key={choice.value}
            value={choice.value}
            {...(iconsOnly ? { 'aria-label': choice.label } : {})}
            className={clsx(
              'inline-flex items-center gap-1.5 rounded-[5px] border border-transparent text-sm text-soft hover:text-text aria-checked:border-line-strong aria-checked:bg-surface aria-checked:font-medium aria-checked:text-text aria-checked:shadow-s dark:aria-checked:bg-active [&>svg]:size-4',
              size === 'small'
                ? 'h-[calc(var(--control-height-small)-4px)]'
                : 'h-[calc(var(--control-height)-4px)]',
              iconsOnly ? 'px-1.5' : 'px-2.5',
            )}
          >
            {choice.icon}
            {iconsOnly ? null : choice.label}
          </ToggleGroup.Item>
        );
        if (!iconsOnly) return item;
        return (
          <Tooltip key={choice.value} text={choice.label}>
            {item}
          </Tooltip>
        );
      })}
    </ToggleGroup.Root>
  );
}
