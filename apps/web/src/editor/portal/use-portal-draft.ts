import { type PortalAppearance, portalSlug, type Workflow } from '@millrace/contracts';
import { useState } from 'react';
import { useUpdateWorkflow } from '../../data/workflows.ts';

const MAX_SLUG = 255;

/** An address from the name of a workflow: `Order status (v2)` becomes `order-status-v2`. */
function slugOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, MAX_SLUG);
}

type Settings = Pick<
  Workflow,
  | 'portal_enabled'
  | 'portal_stream_enabled'
  | 'portal_file_upload_enabled'
  | 'portal_file_config'
  | 'portal_rate_limit_requests'
  | 'portal_rate_limit_window_seconds'
> & { readonly portal_slug: string; readonly portal_appearance: PortalAppearance };

const settingsOf = (workflow: Workflow): Settings => ({
  portal_enabled: workflow.portal_enabled,
  portal_slug: workflow.portal_slug || slugOf(workflow.name),
  portal_stream_enabled: workflow.portal_stream_enabled,
  portal_file_upload_enabled: workflow.portal_file_upload_enabled,
  portal_file_config: workflow.portal_file_config,
  portal_rate_limit_requests: workflow.portal_rate_limit_requests,
  portal_rate_limit_window_seconds: workflow.portal_rate_limit_window_seconds,
  portal_appearance: workflow.portal_appearance,
});

/** Settings of the portal as they are being edited, in all tabs of its dialog, until they are saved together. */
export function usePortalDraft(workflow: Workflow) {
  const update = useUpdateWorkflow();
  const [settings, setSettings] = useState(() => settingsOf(workflow));
  const change = (part: Partial<Settings>) => setSettings((before) => ({ ...before, ...part }));
  return {
    settings,
    change,
    design: (part: Partial<PortalAppearance>) =>
      setSettings((before) => ({
        ...before,
        portal_appearance: { ...before.portal_appearance, ...part },
      })),
    save() {
      const { portal_slug, ...others } = settings;
      const isValid = portal_slug !== '' && portalSlug.safeParse(portal_slug).success;
      update.mutate({ id: workflow.id, ...others, ...(isValid ? { portal_slug } : {}) });
    },
    isSaving: update.isPending,
    problem: update.error?.message,
  };
}
export type PortalDraft = ReturnType<typeof usePortalDraft>;
