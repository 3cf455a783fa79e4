import type { Workflow } from '@millrace/contracts';
import { useState } from 'react';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { PortalConversations } from './portal-conversations.tsx';
import { PortalEmbedding } from './portal-embedding.tsx';
import { PortalSettings } from './portal-settings.tsx';
import { PortalUsers } from './portal-users.tsx';
import { usePortalTexts } from './texts/use-portal-texts.ts';

/** The owner's side of the chat portal: its settings and users (§2.1, §2.6), what visitors wrote, and its place on other sites. */
export function PortalDialog({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const t = usePortalTexts();
  const [tab, setTab] = useState<'settings' | 'conversations' | 'embedding'>('settings');
  return (
    <Dialog open size="large" onOpenChange={onClose} title={t('title')} description={t('description')}>
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
                <PortalSettings workflow={workflow} />
                <PortalUsers id={workflow.id} />
              </div>
            ),
          },
          {
            value: 'conversations',
            label: t('conversations'),
            content: <PortalConversations id={workflow.id} isOwner={workflow.access === 'owner'} />,
          },
          { value: 'embedding', label: t('embedding'), content: <PortalEmbedding workflow={workflow} /> },
        ]}
      />
    </Dialog>
  );
}
