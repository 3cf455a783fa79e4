import type { PortalInfo, PortalProgress, Workflow } from '@millrace/contracts';
import { listPortalFields } from '@millrace/contracts/portal-input';
import { ImageUp, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { useDocument } from '../../../features/document/context.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { FormProblem } from '../../../ui/forms/form-problem.tsx';
import { Input, TextArea } from '../../../ui/forms/input.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { Checkbox, Switch } from '../../../ui/forms/toggles.tsx';
import { useEditor } from '../../state/context.tsx';
import { shrinkLogo } from './logo.ts';
import { PortalPreview } from './portal-preview.tsx';
import { usePortalTexts } from './texts/use-portal-texts.ts';
import type { PortalDraft } from './use-portal-draft.ts';

const PROGRESS: readonly PortalProgress[] = ['labels', 'messages', 'hidden'];
const MAX_SUGGESTIONS = 8;
const FIRST_COLOR = '#0b6b83';

interface AppearanceProps {
  workflow: Workflow;
  draft: PortalDraft;
}

/** The chat as visitors see it: words, colour and logo, and what it shows of a run. */
export function PortalAppearance({ workflow, draft }: AppearanceProps) {
  const t = usePortalTexts();
  const { settings, design } = draft;
  const { portal_appearance: appearance } = settings;
  // Typed text keeps its empty lines until it is saved.
  const [suggestions, setSuggestions] = useState(appearance.suggestions.join('\n'));
  const document = useDocument((state) => state.document);
  const info: PortalInfo = {
    workflow_name: workflow.name,
    workflow_description: workflow.description ?? '',
    requires_auth: false,
    stream_enabled: settings.portal_stream_enabled,
    file_upload_enabled: settings.portal_file_upload_enabled,
    file_config: settings.portal_file_config,
    input_fields: listPortalFields(document),
    appearance,
  };
  return (
    <div className="grid gap-6 pt-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          draft.save();
        }}
      >
        <Field label={t('welcome_text')} hint={t('welcome_hint')}>
          {(control) => (
            <TextArea
              {...control}
              rows={3}
              maxLength={4000}
              value={appearance.welcome_text}
              onChange={(event) => design({ welcome_text: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('suggestions')} hint={t('suggestions_hint')}>
          {(control) => (
            <TextArea
              {...control}
              rows={3}
              value={suggestions}
              onChange={(event) => {
                setSuggestions(event.target.value);
                design({ suggestions: splitLines(event.target.value) });
              }}
            />
          )}
        </Field>
        <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
          <AccentColor
            value={appearance.accent_color}
            onChange={(accent_color) => design({ accent_color })}
          />
          <Logo value={appearance.logo} onChange={(logo) => design({ logo })} />
        </div>
        <Field label={t('progress')} hint={t('progress_hint')}>
          {(control) => (
            <Select
              {...control}
              value={appearance.progress}
              onChange={(progress) => design({ progress })}
              choices={PROGRESS.map((value) => ({ value, label: t(`progress_${value}`) }))}
            />
          )}
        </Field>
        {appearance.progress === 'hidden' ? null : (
          <ProgressMessages
            messages={appearance.progress_messages}
            onChange={(progress_messages) => design({ progress_messages })}
          />
        )}
        <Switch
          checked={appearance.reviews_in_chat}
          onChange={(reviews_in_chat) => design({ reviews_in_chat })}
          label={t('reviews_in_chat')}
          hint={t('reviews_hint')}
        />
        <FormProblem text={draft.slug_problem ? `${t('slug')}: ${t(draft.slug_problem)}` : draft.problem} />
        <Button type="submit" tone="primary" busy={draft.isSaving} className="self-start">
          {t('save')}
        </Button>
      </form>
      <PortalPreview info={info} />
    </div>
  );
}

const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, MAX_SUGGESTIONS);

function AccentColor({
  value,
  onChange,
}: {
  value: string | null;
  onChange: (color: string | null) => void;
}) {
  const t = usePortalTexts();
  return (
    <span className="inline-flex items-center gap-3">
      <Checkbox
        label={t('own_accent')}
        checked={value !== null}
        onChange={(own) => onChange(own ? FIRST_COLOR : null)}
      />
      {value === null ? null : (
        <input
          type="color"
          aria-label={t('accent')}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className="h-[var(--control-height)] w-12 cursor-pointer rounded-m border border-control-line/70 bg-surface"
        />
      )}
    </span>
  );
}

function Logo({ value, onChange }: { value: string | null; onChange: (logo: string | null) => void }) {
  const t = usePortalTexts();
  const chooser = useRef<HTMLInputElement>(null);
  const [failed, setFailed] = useState(false);
  const take = async (file: File) => {
    const logo = await shrinkLogo(file);
    setFailed(logo === undefined);
    if (logo !== undefined) onChange(logo);
  };
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      {value === null ? null : (
        <img src={value} alt={t('logo')} className="size-8 rounded-m object-contain" />
      )}
      <input
        ref={chooser}
        type="file"
        hidden
        accept="image/png,image/jpeg,image/webp,image/avif"
        data-testid="portal-logo"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file) void take(file);
          event.target.value = '';
        }}
      />
      <Button size="small" onClick={() => chooser.current?.click()}>
        <ImageUp aria-hidden />
        {t('choose_logo')}
      </Button>
      {value === null ? null : (
        <Button size="small" tone="quiet" onClick={() => onChange(null)}>
          <Trash2 aria-hidden />
          {t('remove_logo')}
        </Button>
      )}
      <FormProblem text={failed ? t('logo_failed') : undefined} />
    </span>
  );
}

interface MessagesProps {
  messages: Readonly<Record<string, string>>;
  onChange: (messages: Record<string, string>) => void;
}

/** The owner's words for nodes, in the order of the canvas. */
function ProgressMessages({ messages, onChange }: MessagesProps) {
  const t = usePortalTexts();
  const { catalog } = useEditor();
  const nodes = useDocument((state) => state.document.nodes);
  const named = nodes.filter(
    ({ id, type }) => Object.hasOwn(messages, id) || catalog.get(type)?.traits.role !== 'trigger',
  );
  const change = (id: string, text: string) => {
    const { [id]: _, ...others } = messages;
    onChange(text === '' ? others : { ...others, [id]: text });
  };
  return (
    <ul className="flex flex-col gap-2">
      {named.map(({ id, data }) => {
        const label = typeof data['label'] === 'string' && data['label'] !== '' ? data['label'] : id;
        return (
          <li key={id} className="grid grid-cols-[minmax(80px,10rem)_1fr] items-center gap-2">
            <span className="truncate text-sm text-soft">{label}</span>
            <Input
              aria-label={t('message_of', { node: label })}
              maxLength={300}
              placeholder={t('message_example')}
              value={messages[id] ?? ''}
              onChange={(event) => change(id, event.target.value)}
            />
          </li>
        );
      })}
    </ul>
  );
}
