import type { IconShape } from '@millrace/engine';
import { Glyph } from '../../../ui/graph/node-glyph.tsx';

interface NodeTileProps {
  /** As the definition gives it; undefined for a type that this version does not know. */
  icon: string | IconShape | undefined;
  family: string | undefined;
  small?: boolean;
}

/** Icon on a tile in the hue of the node's family. */
export function NodeTile({ icon, family, small = false }: NodeTileProps) {
  return (
    <span
      data-family={family ?? 'output'}
      className={`inline-flex shrink-0 items-center justify-center rounded-m bg-family-tint text-family ${small ? 'size-6' : 'size-8'}`}
    >
      <Glyph icon={icon} className={small ? 'size-3.5' : 'size-4'} />
    </span>
  );
}
