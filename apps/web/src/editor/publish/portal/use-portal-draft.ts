import { type PortalAppearance, portalSlug, type Workflow } from '@millrace/contracts';
import { useState } from 'react';
import { usePortalSlugCheck } from '../../../data/portal.ts';
import { useUpdateWorkflow } from '../../../data/workflows.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';

const CHECK_AFTER_MS = 400;
export const MAX_SLUG = 255;

/** An address from the name of a workflow: `Order status (v2)` becomes `order-status-v2`. */
function toSlug(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, MAX_SLUG);
}

/** Says what is wrong with an address, or whether it is free; it is looked up while it is typed. */
function useSlugCheck(slug: string, { id, portal_slug: own }: Workflow) {
  const still = useDebounced(slug, CHECK_AFTER_MS);
  const isValid = portalSlug.safeParse(slug).success;
  const problem = slug === '' ? 'slug_empty' : isValid ? undefined : 'slug_characters';
  const asks = problem === undefined && slug === still && slug !== own;
  const { data } = usePortalSlugCheck(id, still, asks);
  if (problem) return { problem } as const;
  if (!asks) return {};
  return data?.is_free === false ? ({ problem: 'slug_taken' } as const) : { isFree: data?.is_free === true };
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

const toSettings = (workflow: Workflow): Settings => ({
  portal_enabled: workflow.portal_enabled,
  portal_slug: workflow.portal_slug || toSlug(workflow.name),
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
  const [settings, setSettings] = useState(() => toSettings(workflow));
  const { problem, isFree = false } = useSlugCheck(settings.portal_slug, workflow);
  /** Why it cannot be saved. A chat that is off needs no address: a wrong one is left out. */
  const slug_problem = settings.portal_enabled ? problem : undefined;
  const change = (part: Partial<Settings>) => setSettings((before) => ({ ...before, ...part }));
  return {
    settings,
    change,
    design: (part: Partial<PortalAppearance>) =>
      setSettings((before) => ({
        ...before,
        portal_appearance: { ...before.portal_appearance, ...part },
      })),
    slug_problem,
    isSlugFree: isFree,
    save() {
      if (slug_problem) return;
      const { portal_slug, ...others } = settings;
      update.mutate({ id: workflow.id, ...others, ...(problem ? {} : { portal_slug }) });
    },
    isSaving: update.isPending,
    problem: update.error?.message,
  };
}
export type PortalDraft = ReturnType<typeof usePortalDraft>;
