import type { CredentialGroup, CredentialType } from '@millrace/engine/credential';
import { type Family, NodeGlyph } from '../../ui/graph/node-glyph.tsx';

export const LOOKS: Record<CredentialGroup, { icon: string; family: Family }> = {
  models: { icon: 'sparkles', family: 'ai' },
  http: { icon: 'globe', family: 'network' },
  messaging: { icon: 'message-square', family: 'integration' },
  mail: { icon: 'mail', family: 'output' },
  stores: { icon: 'database', family: 'data' },
  storage: { icon: 'hard-drive', family: 'flow' },
  developer: { icon: 'code', family: 'trigger' },
  productivity: { icon: 'layout-grid', family: 'note' },
};

/** A neutral mark: the type's own, else that of its kind of service; no vendor's logo. */
export function TypeIcon({
  type,
  size = 'small',
}: {
  type: CredentialType | undefined;
  size?: 'small' | 'medium';
}) {
  const look = type && LOOKS[type.group];
  return <NodeGlyph icon={type?.icon ?? look?.icon ?? 'plug'} family={look?.family} size={size} />;
}
