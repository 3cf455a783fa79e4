import type { CredentialGroup } from '@millrace/contracts';
import { type Family, NodeGlyph } from '../../ui/display/node-glyph.tsx';

const LOOKS: Record<CredentialGroup, { icon: string; family: Family }> = {
  models: { icon: 'sparkles', family: 'ai' },
  http: { icon: 'globe', family: 'network' },
  messaging: { icon: 'message-square', family: 'integration' },
  mail: { icon: 'mail', family: 'output' },
  stores: { icon: 'database', family: 'data' },
  storage: { icon: 'hard-drive', family: 'flow' },
  developer: { icon: 'code', family: 'trigger' },
  productivity: { icon: 'layout-grid', family: 'note' },
};

/** A neutral mark for the kind of service; no vendor's logo. */
export function TypeIcon({
  group,
  size = 'small',
}: {
  group: CredentialGroup | undefined;
  size?: 'small' | 'medium';
}) {
  const look = group ? LOOKS[group] : undefined;
  return <NodeGlyph icon={look?.icon ?? 'plug'} family={look?.family} size={size} />;
}
