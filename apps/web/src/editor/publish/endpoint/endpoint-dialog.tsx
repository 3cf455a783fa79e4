import type { Workflow } from '@millrace/contracts';
import { useState } from 'react';
import { useUpdateWorkflow } from '../../../data/workflows.ts';
import { Tabs } from '../../../ui/layout/tabs.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { CallTab } from './call-tab.tsx';
import type { SettingsChange } from './settings-change.ts';
import { SettingsTab } from './settings-tab.tsx';
import { StreamTab } from './stream-tab.tsx';
import { useEndpointTexts } from './texts/use-endpoint-texts.ts';
import { TokensTab } from './tokens-tab.tsx';

interface EndpointDialogProps {
  workflow: Workflow;
  onClose: () => void;
}

type Tab = 'call' | 'settings' | 'tokens' | 'stream';

/** How the outside calls this workflow: settings, tokens and the exact call, tried out in place. */
export function EndpointDialog({ workflow, onClose }: EndpointDialogProps) {
  const t = useEndpointTexts();
  const [tab, setTab] = useState<Tab>('call');
  const [token, setToken] = useState<string>();
  const update = useUpdateWorkflow();
  const change = (settings: SettingsChange) => update.mutate({ id: workflow.id, ...settings });
  return (
    <Dialog open onOpenChange={onClose} title={t('title')} description={t('description')} size="large">
      {update.error ? (
        <p
          role="alert"
          className="mb-2 rounded-m border border-danger-line bg-danger-tint px-2.5 py-1.5 text-sm text-danger"
        >
          {update.error.message}
        </p>
      ) : null}
      <Tabs<Tab>
        value={tab}
        onChange={setTab}
        label={t('title')}
        tabs={[
          { value: 'call', label: t('call'), content: <CallTab workflow={workflow} token={token} /> },
          {
            value: 'settings',
            label: t('settings'),
            content: <SettingsTab workflow={workflow} onChange={change} />,
          },
          {
            value: 'tokens',
            label: t('tokens'),
            content: <TokensTab workflow={workflow} chosen={token} onChoose={setToken} />,
          },
          {
            value: 'stream',
            label: t('stream'),
            content: <StreamTab workflow={workflow} onChange={change} />,
          },
        ]}
      />
    </Dialog>
  );
}
