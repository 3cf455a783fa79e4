import type { IconShape } from '@millrace/engine';
import { useEffect, useMemo, useState } from 'react';
import { useNodeTexts } from '../../i18n/node-texts.ts';
import { type Family, NodeGlyph } from './node-glyph.tsx';

export interface NodeLook {
  title: string;
  icon: string | IconShape;
  family: Family;
}

let loaded: ReadonlyMap<string, NodeLook> | undefined;
let loading: Promise<ReadonlyMap<string, NodeLook>> | undefined;

/** The catalogue of node types is a chunk of its own; lists do not wait for it. */
function loadLooks(): Promise<ReadonlyMap<string, NodeLook>> {
  loading ??= import('@millrace/nodes/catalog').then(({ catalog }) => {
    const looks = new Map<string, NodeLook>();
    for (const { type, aliases, title, icon, family } of catalog.all) {
      for (const name of [type, ...aliases]) looks.set(name, { title, icon, family });
    }
    loaded = looks;
    return looks;
  });
  return loading;
}

const NONE: ReadonlyMap<string, NodeLook> = new Map();

/** Title, icon and family of node types; empty until the catalogue is there. */
export function useNodeLooks(): ReadonlyMap<string, NodeLook> {
  const [looks, setLooks] = useState(loaded);
  useEffect(() => {
    let current = true;
    if (!looks) {
      void loadLooks().then((found) => {
        if (current) setLooks(found);
      });
    }
    return () => {
      current = false;
    };
  }, [looks]);
  const translate = useNodeTexts();
  return useMemo(() => {
    if (!looks || !translate) return looks ?? NONE;
    const entries = [...looks].map(
      ([type, look]) => [type, { ...look, title: translate(look.title, 'text') }] as const,
    );
    return new Map(entries);
  }, [looks, translate]);
}

interface WorkflowGlyphProps {
  /** Type of the node, for a workflow that of its first one. */
  type: string | null;
  size?: 'small' | 'medium' | 'large';
}

export function WorkflowGlyph({ type, size = 'medium' }: WorkflowGlyphProps) {
  const look = useNodeLooks().get(type ?? '');
  return <NodeGlyph icon={look?.icon ?? 'workflow'} family={look?.family} size={size} />;
}
