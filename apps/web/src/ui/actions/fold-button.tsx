import { clsx } from 'clsx';
import { ChevronRight } from 'lucide-react';
import type { CSSProperties, ReactNode } from 'react';

interface FoldButtonProps {
  open: boolean;
  onToggle: () => void;
  className?: string;
  style?: CSSProperties;
  children: ReactNode;
}

/** A row that opens and closes what is below it. */
export function FoldButton({ open, onToggle, className, style, children }: FoldButtonProps) {
  return (
    <button
      type="button"
      aria-expanded={open}
      onClick={onToggle}
      style={style}
      className={clsx('w-full text-left outline-offset-[-2px] hover:bg-hover', className)}
    >
      {children}
    </button>
  );
}

/** Points down when what is below is open. */
export const FoldMark = ({ open }: { open: boolean }) => (
  <ChevronRight
    aria-hidden
    className={clsx('size-3.5 shrink-0 text-faint transition-transform', open && 'rotate-90')}
  />
);
