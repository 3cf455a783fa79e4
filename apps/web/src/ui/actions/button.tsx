import { cva, type VariantProps } from 'class-variance-authority';
import { clsx } from 'clsx';
import { LoaderCircle } from 'lucide-react';
import type { ButtonHTMLAttributes, Ref } from 'react';

export const buttonStyle = cva(
  [
    'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-m border font-medium whitespace-nowrap select-none',
    'transition-[background-color,border-color,color] duration-[var(--duration)]',
    'disabled:opacity-50 aria-disabled:opacity-50 [&>svg]:size-4 [&>svg]:shrink-0',
  ],
  {
    variants: {
      tone: {
        primary:
          'border-transparent bg-accent text-on-accent enabled:hover:bg-accent-hover [a&]:hover:bg-accent-hover',
        plain:
          'border-line-strong bg-surface text-text shadow-s enabled:hover:bg-hover [a&]:hover:bg-hover data-[state=open]:bg-hover',
        quiet:
          'border-transparent bg-transparent text-soft enabled:hover:bg-hover enabled:hover:text-text [a&]:hover:bg-hover [a&]:hover:text-text data-[state=open]:bg-hover data-[state=open]:text-text',
        danger: 'border-transparent bg-danger text-on-danger enabled:hover:bg-danger-hover',
        'quiet-danger': 'border-transparent bg-transparent text-danger enabled:hover:bg-danger-tint',
      },
      size: {
        small: 'h-[var(--control-height-small)] px-2 text-sm [&>svg]:size-3.5',
        medium: 'h-[var(--control-height)] px-3 text-base',
        large: 'h-10 px-4 text-lg',
      },
      square: { true: 'px-0', false: '' },
    },
    compoundVariants: [
      { square: true, size: 'small', class: 'w-[var(--control-height-small)]' },
      { square: true, size: 'medium', class: 'w-[var(--control-height)]' },
      { square: true, size: 'large', class: 'w-10' },
    ],
    defaultVariants: { tone: 'plain', size: 'medium', square: false },
  },
);

type Style = Omit<VariantProps<typeof buttonStyle>, 'square'>;

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement>, Style {
  /** Shows a spinner and ignores clicks during the action; the button keeps its width and focus. */
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({
  tone,
  size,
  busy = false,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      className={clsx(buttonStyle({ tone, size }), 'relative', className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {busy ? (
        <>
          <LoaderCircle className="absolute animate-spin" aria-hidden />
          <span className="contents [&>*]:invisible">
            <span className="invisible inline-flex items-center gap-1.5">{children}</span>
          </span>
        </>
      ) : (
        children
      )}
    </button>
  );
}
