import { updateWorkflow, type Workflow } from '@millrace/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { api } from '../../data/api.ts';
import { keys } from '../../data/keys.ts';
import { DRAFT } from '../../data/workflows.ts';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { CallTab } from './call-tab.tsx';
import type { SettingsChange } from './settings-change.ts';
import { SettingsTab } from './settings-tab.tsx';
import { StreamTab } from './stream-tab.tsx';
import { TokensTab } from './tokens-tab.tsx';

interface EndpointDialogProps {
  workflow: Workflow;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

type Tab = 'call' | 'settings' | 'tokens' | 'stream';

/** How the outside calls this workflow: settings, tokens and the exact call, tried out in place. */
export function EndpointDialog({ workflow, open, onOpenChange }: EndpointDialogProps) {
  const t = useTranslations('editor.endpoint');
  const [tab, setTab] = useState<Tab>('call');
  const [token, setToken] = useState<string>();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (body: SettingsChange) =>
      api(updateWorkflow, { params: { id: workflow.id }, query: DRAFT, body }),
    onSuccess: (saved) => client.setQueryData(keys.workflow(workflow.id), saved),
  });
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('title')}
      description={t('description')}
      size="large"
    >
      {change.error ? (
        <p
          role="alert"
          className="mb-2 rounded-m border border-danger-line bg-danger-tint px-2.5 py-1.5 text-sm text-danger"
        >
          {change.error.message}
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
            content: <SettingsTab workflow={workflow} onChange={change.mutate} />,
          },
          {
            value: 'tokens',
            label: t('tokens'),
            content: <TokensTab workflow={workflow} chosen={token} onChoose={setToken} />,
          },
          {
            value: 'stream',
            label: t('stream'),
            content: <StreamTab workflow={workflow} onChange={change.mutate} />,
          },
        ]}
      />
    </Dialog>
  );
}
