import {
  Box,
  Braces,
  Clock,
  FileCode,
  FileJson,
  GitBranch,
  Globe,
  Hourglass,
  LogOut,
  type LucideIcon,
  Merge,
  OctagonX,
  PowerOff,
  Repeat,
  ShieldAlert,
  Split,
  StickyNote,
  Terminal,
  TextCursorInput,
  Variable,
  Workflow,
} from 'lucide-react';

/** Icons by the names that definitions use; only these are shipped. */
const ICONS: Readonly<Record<string, LucideIcon>> = {
  braces: Braces,
  clock: Clock,
  'file-code': FileCode,
  'file-json': FileJson,
  'git-branch': GitBranch,
  globe: Globe,
  hourglass: Hourglass,
  'log-out': LogOut,
  merge: Merge,
  'octagon-x': OctagonX,
  'power-off': PowerOff,
  repeat: Repeat,
  'shield-alert': ShieldAlert,
  split: Split,
  'sticky-note': StickyNote,
  terminal: Terminal,
  'text-cursor-input': TextCursorInput,
  variable: Variable,
  workflow: Workflow,
};

interface NodeIconProps {
  name: string | undefined;
  className?: string;
}

/** The icon of a node type; a plain box for one that this version does not know. */
export function NodeIcon({ name, className }: NodeIconProps) {
  const Icon = (name && ICONS[name]) || Box;
  return <Icon className={className} aria-hidden />;
}

/** Icon on a tile in the hue of the node's family. */
export function NodeTile({
  name,
  family,
  small = false,
}: NodeIconProps & { family: string | undefined; small?: boolean }) {
  return (
    <span
      data-family={family ?? 'output'}
      className={`inline-flex shrink-0 items-center justify-center rounded-m bg-family-tint text-family ${small ? 'size-6' : 'size-8'}`}
    >
      <NodeIcon name={name} className={small ? 'size-3.5' : 'size-4'} />
    </span>
  );
}
