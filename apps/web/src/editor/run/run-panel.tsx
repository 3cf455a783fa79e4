import { Play, Square } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Button } from '../../ui/actions/button.tsx';
import { Keys } from '../../ui/display/keys.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { Segmented, Switch } from '../../ui/forms/toggles.tsx';
import { useRun } from '../context.tsx';
import { useRunControls, useRunForm } from './run-controls.tsx';
import type { InputMode } from './run-form.ts';
import { RunOutcome } from './run-outcome.tsx';

/** What the run is given, the button that starts it, and what came out. */
export function RunPanel() {
  const t = useTranslations('editor.run');
  const { form, input, busy, problem, start, stop } = useRunControls();
  const test = useRunForm((state) => state.test_run);
  const phase = useRun((state) => state.phase);
  return (
    <section aria-label={t('label')} className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-col gap-3 border-b border-line p-3.5">
        <RunInput />
        <Switch
          label={t('test_run')}
          hint={t('test_run_hint')}
          checked={test}
          onChange={(test_run) => form.getState().set({ test_run })}
        />
        {busy ? (
          <Button tone="danger" busy={phase === 'stopping'} onClick={stop}>
            <Square aria-hidden />
            {t('stop')}
          </Button>
        ) : (
          <Button tone="primary" disabled={input === undefined} onClick={() => void start()}>
            <Play aria-hidden />
            {t('run')}
            <span className="ml-1 max-md:hidden" aria-hidden>
              <Keys keys="mod+enter" inverse />
            </span>
          </Button>
        )}
        {problem ? (
          <p
            role="alert"
            className="rounded-m border border-danger-line bg-danger-tint px-2.5 py-1.5 text-sm text-danger"
          >
            {problem}
          </p>
        ) : null}
      </div>
      <RunOutcome />
    </section>
  );
}

function RunInput() {
  const t = useTranslations('editor.run');
  const { form, fields, input } = useRunControls();
  const mode = useRunForm((state) => state.mode);
  const typed = useRunForm((state) => state.typed);
  const raw = useRunForm((state) => state.raw);
  const asForm = mode === 'form' && fields.length > 0;
  return (
    <>
      {fields.length > 0 ? (
        <Segmented<InputMode>
          size="small"
          label={t('input_as')}
          value={mode}
          onChange={(next) => form.getState().set({ mode: next })}
          choices={[
            { value: 'form', label: t('form') },
            { value: 'json', label: t('json') },
          ]}
        />
      ) : null}
      {asForm ? (
        <div className="flex max-h-[34vh] flex-col gap-3 overflow-y-auto p-0.5">
          {fields.map((field) => (
            <Field key={field.key} label={field.key}>
              {(control) => (
                <Input
                  {...control}
                  value={typed.get(field.key) ?? ''}
                  placeholder={field.default_value}
                  onChange={(event) => form.getState().type(field.key, event.target.value)}
                />
              )}
            </Field>
          ))}
        </div>
      ) : (
        <Field
          label={t('body')}
          error={input === undefined ? t('not_json') : undefined}
          hint={t('body_hint')}
        >
          {(control) => (
            <TextArea
              {...control}
              mono
              rows={4}
              placeholder="{}"
              value={raw}
              onChange={(event) => form.getState().set({ raw: event.target.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}
