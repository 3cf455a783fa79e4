import type { Workflow } from '@millrace/contracts';
import { listPortalFields } from '@millrace/contracts/portal-input';
import { ExternalLink } from 'lucide-react';
import { useDocument } from '../../../features/document/context.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { FormProblem } from '../../../ui/forms/form-problem.tsx';
import { Input } from '../../../ui/forms/input.tsx';
import { Switch } from '../../../ui/forms/toggles.tsx';
import { PortalLimit } from './portal-limit.tsx';
import { PortalUploads } from './portal-uploads.tsx';
import { usePortalTexts } from './texts/use-portal-texts.ts';
import { MAX_SLUG, type PortalDraft } from './use-portal-draft.ts';

export function PortalSettings({ workflow, draft }: { workflow: Workflow; draft: PortalDraft }) {
  const t = usePortalTexts();
  const { settings, change } = draft;
  const document = useDocument((state) => state.document);
  const fields = listPortalFields(document);
  const link = `${window.location.origin}/chat/${workflow.portal_slug}`;
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        draft.save();
      }}
    >
      <Switch
        checked={settings.portal_enabled}
        onChange={(portal_enabled) => change({ portal_enabled })}
        label={t('enabled')}
        hint={t('enabled_hint')}
      />
      <Field
        label={t('slug')}
        hint={t(draft.isSlugFree ? 'slug_free' : 'slug_hint')}
        error={draft.slug_problem && t(draft.slug_problem)}
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
              value={settings.portal_slug}
              onChange={(event) => change({ portal_slug: event.target.value })}
            />
          </span>
        )}
      </Field>
      <Switch
        checked={settings.portal_stream_enabled}
        onChange={(portal_stream_enabled) => change({ portal_stream_enabled })}
        label={t('stream')}
        hint={t('stream_hint')}
      />
      <PortalUploads
        fields={fields}
        enabled={settings.portal_file_upload_enabled}
        config={settings.portal_file_config}
        onEnable={(portal_file_upload_enabled) => change({ portal_file_upload_enabled })}
        onConfigure={(portal_file_config) => change({ portal_file_config })}
      />
      <PortalLimit limit={settings} onChange={change} />
      <FormProblem text={draft.problem} />
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" tone="primary" busy={draft.isSaving}>
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
