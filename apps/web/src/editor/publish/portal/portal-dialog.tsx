import type { Workflow } from '@millrace/contracts';
import { useState } from 'react';
import { Tabs } from '../../../ui/layout/tabs.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { PortalAppearance } from './portal-appearance.tsx';
import { PortalEmbedding } from './portal-embedding.tsx';
import { PortalSettings } from './portal-settings.tsx';
import { PortalUsage } from './portal-usage.tsx';
import { usePortalTexts } from './texts/use-portal-texts.ts';
import { usePortalDraft } from './use-portal-draft.ts';
import { PortalConversations } from './visitors/portal-conversations.tsx';
import { PortalUsers } from './visitors/portal-users.tsx';
import { PortalVisitors } from './visitors/portal-visitors.tsx';

type Tab = 'settings' | 'appearance' | 'conversations' | 'visitors' | 'usage' | 'embedding';

/** The owner's side of the chat portal: its settings and users (§2.1, §2.6), what visitors wrote, and its place on other sites. */
export function PortalDialog({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const t = usePortalTexts();
  const [tab, setTab] = useState<Tab>('settings');
  const draft = usePortalDraft(workflow);
  return (
    <Dialog open size="wide" onOpenChange={onClose} title={t('title')} description={t('description')}>
      <Tabs
        value={tab}
        onChange={setTab}
        label={t('title')}
        tabs={[
          {
            value: 'settings',
            label: t('settings'),
            content: (
              <div className="pt-4">
                <PortalSettings workflow={workflow} draft={draft} />
                <PortalUsers id={workflow.id} />
              </div>
            ),
          },
          {
            value: 'appearance',
            label: t('appearance'),
            content: <PortalAppearance workflow={workflow} draft={draft} />,
          },
          {
            value: 'conversations',
            label: t('conversations'),
            content: <PortalConversations id={workflow.id} isOwner={workflow.access === 'owner'} />,
          },
          {
            value: 'visitors',
            label: t('visitors'),
            content: <PortalVisitors id={workflow.id} isOwner={workflow.access === 'owner'} />,
          },
          { value: 'usage', label: t('usage'), content: <PortalUsage id={workflow.id} /> },
          { value: 'embedding', label: t('embedding'), content: <PortalEmbedding workflow={workflow} /> },
        ]}
      />
    </Dialog>
  );
}
