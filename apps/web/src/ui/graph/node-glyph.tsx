import type { IconShape } from '@millrace/engine';
import { clsx } from 'clsx';
import { Box, Icon } from 'lucide-react';
import { GLYPHS } from '../display/glyphs.ts';

export type Family = 'trigger' | 'flow' | 'data' | 'output' | 'network' | 'note' | 'integration' | 'ai';

interface NodeGlyphProps {
  /** Name or drawing of a node definition or credential type; an unknown name is drawn as a box. */
  icon: string | IconShape | undefined;
  family: Family | undefined;
  size?: 'small' | 'medium' | 'large';
  className?: string;
}

const SIZES = {
  small: 'size-5 [&>svg]:size-3',
  medium: 'size-7 [&>svg]:size-4',
  large: 'size-9 [&>svg]:size-[18px]',
};

/** The drawing alone. */
export function Glyph({ icon, className }: Pick<NodeGlyphProps, 'icon' | 'className'>) {
  if (typeof icon === 'object') {
    const nodes = icon.map(([element, attributes], index): [typeof element, Record<string, string>] => [
      element,
      { ...attributes, key: String(index) },
    ]);
    return <Icon iconNode={nodes} className={className} aria-hidden />;
  }
  const Named = GLYPHS[icon ?? ''] ?? Box;
  return <Named className={className} aria-hidden />;
}

/** A node type's mark in the hue of its family. Decoration: its name stands beside it. */
export function NodeGlyph({ icon, family, size = 'medium', className }: NodeGlyphProps) {
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
      <Glyph icon={icon} />
    </span>
  );
}
