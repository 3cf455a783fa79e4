import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Tooltip } from '../overlays/tooltip.tsx';
import { type ButtonProps, buttonStyle } from './button.tsx';

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'busy'> {
  /** Accessible name, also shown as tooltip. */
  label: string;
  /** Shortcut shown in the tooltip, as in `mod+k`. */
  keys?: string;
  icon: ReactNode;
  /** Off where the name stands beside the button anyway or a menu opens over it. */
  tooltip?: boolean;
}

export function IconButton({
  label,
  keys,
  icon,
  tone = 'quiet',
  size,
  tooltip = true,
  className,
  type = 'button',
  ...rest
}: IconButtonProps) {
  const button = (
    <button
      type={type}
      aria-label={label}
      className={clsx(buttonStyle({ tone, size, square: true }), className)}
      {...rest}
    >
      {icon}
    </button>
  );
  if (!tooltip) return button;
  return (
    <Tooltip text={label} {...(keys ? { keys } : {})}>
      {button}
    </Tooltip>
  );
}
