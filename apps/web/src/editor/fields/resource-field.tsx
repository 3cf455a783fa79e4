import { Suspense } from 'react';
import { useDocument } from '../../features/document/context.ts';
import { selectedNode } from '../../features/document/store.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { toText } from '../../lib/json/to-text.ts';
import { Field } from '../../ui/forms/field.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import { ChoicePopover } from './choice-popover.tsx';
import { ExpressionInput } from './expression/expression-input.tsx';
import { ExpressionPreview } from './expression/expression-preview.tsx';
import { ModelNotes } from './model-notes.tsx';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { missingParams, resourceParams } from './resource-params.ts';

const ResourceChoices = lazy(() =>
  import('./resource-choices.tsx').then((module) => ({ default: module.ResourceChoices })),
);

/** The id of something that the service has: written, an expression, or chosen from what the service lists. */
export function ResourceField({ node_id, meta, value, problem, row, onChange, onBlur }: ParameterFieldProps) {
  const t = usePanelTexts('fields');
  const node = useDocument(selectedNode);
  const text = toText(value);
  const params = resourceParams(meta, row ?? node?.data ?? {});
  const missing = missingParams(meta, params);
  const { [meta.resource?.credential ?? 'credentialId']: credential_id, ...others } = params;
  return (
    <Field
      label={meta.title}
      hint={meta.help}
      error={problem}
      aside={
        <ChoicePopover label={meta.title} unavailable={missing.length > 0 ? t('choices_need') : undefined}>
          {(close) => (
            <Suspense fallback={<p className="px-3 py-4 text-sm text-soft">{t('choices_loading')}</p>}>
              <ResourceChoices
                label={meta.title}
                chosen={text}
                credential_id={credential_id ?? ''}
                node_type={node?.type ?? ''}
                list={meta.resource?.list ?? ''}
                params={others}
                onChoose={(next) => {
                  close();
                  onChange(next);
                }}
              />
            </Suspense>
          )}
        </ChoicePopover>
      }
    >
      {(control) => (
        <div className="flex flex-col gap-1">
          <ExpressionInput
            node_id={node_id}
            label={meta.title}
            value={text}
            mode={meta.mode}
            placeholder={meta.placeholder}
            described_by={control['aria-describedby']}
            invalid={problem !== undefined}
            onChange={onChange}
            onBlur={onBlur}
          />
          <ExpressionPreview node_id={node_id} text={text} mode={meta.mode} />
          {meta.resource?.list === 'models' ? (
            <ModelNotes
              credential_id={credential_id ?? ''}
              model={text}
              // Other models of a node, such as that of guardrails, get neither its images nor its schema.
              asked={meta.resource.narrowed_by ? node?.data : undefined}
            />
          ) : null}
        </div>
      )}
    </Field>
  );
}
