import { clsx } from 'clsx';
import { Box } from 'lucide-react';
import { GLYPHS } from './glyphs.ts';

export type Family = 'trigger' | 'flow' | 'data' | 'output' | 'network' | 'note' | 'integration' | 'ai';

interface NodeGlyphProps {
  /** Icon name of a node definition; an unknown one is drawn as a box. */
  icon: string | undefined;
  family: Family | undefined;
  size?: 'small' | 'medium' | 'large';
  className?: string;
}

const SIZES = {
  small: 'size-5 [&>svg]:size-3',
  medium: 'size-7 [&>svg]:size-4',
  large: 'size-9 [&>svg]:size-[18px]',
};

/** A node type's mark in the hue of its family. Decoration: its name stands beside it. */
export function NodeGlyph({ icon, family, size = 'medium', className }: NodeGlyphProps) {
  const Icon = GLYPHS[icon ?? ''] ?? Box;
  return (
    <span
      aria-hidden
      data-family={family}
      className={clsx(
        'inline-flex shrink-0 items-center justify-center rounded-m border',
        family ? 'border-family-line bg-family-tint text-family' : 'border-line-strong bg-sunken text-soft',
        SIZES[size],
        className,
      )}
    >
      <Icon />
    </span>
  );
}
