import { portalSlug, type Workflow } from '@millrace/contracts';
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { usePortalSlugTaken } from '../../data/portal.ts';
import { useUpdateWorkflow } from '../../data/workflows.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { Button } from '../../ui/actions/button.tsx';
import { CopyButton } from '../../ui/actions/copy-button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { Switch } from '../../ui/forms/toggles.tsx';
import { useDocument, useEditor } from '../context.tsx';
import { inputFormFields, startNodes } from '../run/input-form.ts';
import { PortalLimit } from './portal-limit.tsx';
import { PortalUploads } from './portal-uploads.tsx';
import { usePortalTexts } from './texts/use-portal-texts.ts';

const CHECK_AFTER_MS = 400;
const MAX_SLUG = 255;

/** An address from the name of a workflow: `Order status (v2)` becomes `order-status-v2`. */
function slugOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, MAX_SLUG);
}

/** What is wrong with an address, or whether it is free; it is looked up while it is typed. */
function useSlugCheck(slug: string, own: string | null) {
  const still = useDebounced(slug, CHECK_AFTER_MS);
  const isValid = portalSlug.safeParse(slug).success;
  const problem = slug === '' ? 'slug_empty' : isValid ? undefined : 'slug_characters';
  const asks = problem === undefined && slug === still && slug !== own;
  const { data: isTaken } = usePortalSlugTaken(still, asks);
  if (problem) return { problem } as const;
  if (!asks) return {};
  return isTaken ? ({ problem: 'slug_taken' } as const) : { isFree: isTaken === false };
}

export function PortalSettings({ workflow }: { workflow: Workflow }) {
  const t = usePortalTexts();
  const update = useUpdateWorkflow();
  const [enabled, setEnabled] = useState(workflow.portal_enabled);
  const [slug, setSlug] = useState(workflow.portal_slug || slugOf(workflow.name));
  const [streams, setStreams] = useState(workflow.portal_stream_enabled);
  const [uploads, setUploads] = useState(workflow.portal_file_upload_enabled);
  const [fileConfig, setFileConfig] = useState(workflow.portal_file_config);
  const [limit, setLimit] = useState({
    portal_rate_limit_requests: workflow.portal_rate_limit_requests,
    portal_rate_limit_window_seconds: workflow.portal_rate_limit_window_seconds,
  });
  const { catalog } = useEditor();
  const nodes = useDocument((state) => state.document.nodes);
  const fields = inputFormFields(startNodes(catalog, nodes)).map(({ key }) => key);
  const { problem, isFree } = useSlugCheck(slug, workflow.portal_slug);
  const link = `${window.location.origin}/chat/${workflow.portal_slug}`;
  const save = () => {
    if (problem && enabled) return;
    update.mutate({
      id: workflow.id,
      portal_enabled: enabled,
      portal_stream_enabled: streams,
      portal_file_upload_enabled: uploads,
      portal_file_config: fileConfig,
      ...limit,
      ...(problem ? {} : { portal_slug: slug }),
    });
  };
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Switch checked={enabled} onChange={setEnabled} label={t('enabled')} hint={t('enabled_hint')} />
      <Field
        label={t('slug')}
        hint={isFree ? t('slug_free') : t('slug_hint')}
        error={problem && enabled ? t(problem) : undefined}
      >
        {(control) => (
          <span className="flex items-center gap-1">
            <span className="font-mono text-sm text-soft" aria-hidden>
              /chat/
            </span>
            <Input
              {...control}
              mono
              maxLength={MAX_SLUG}
              autoComplete="off"
              spellCheck={false}
              value={slug}
              onChange={(event) => setSlug(event.target.value)}
            />
          </span>
        )}
      </Field>
      <Switch checked={streams} onChange={setStreams} label={t('stream')} hint={t('stream_hint')} />
      <PortalUploads
        fields={fields}
        enabled={uploads}
        config={fileConfig}
        onEnable={setUploads}
        onConfigure={setFileConfig}
      />
      <PortalLimit limit={limit} onChange={setLimit} />
      <FormProblem text={update.error?.message} />
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" tone="primary" busy={update.isPending}>
          {t('save')}
        </Button>
        {workflow.portal_enabled && workflow.portal_slug ? (
          <>
            <a
              href={link}
              target="_blank"
              rel="noreferrer"
              className="ml-auto inline-flex items-center gap-1.5 text-base text-accent-text underline"
            >
              <ExternalLink className="size-4" aria-hidden />
              {t('open')}
              <span className="sr-only">({t('new_tab')})</span>
            </a>
            <CopyButton text={link} label={t('link')} />
          </>
        ) : null}
      </div>
    </form>
  );
}
