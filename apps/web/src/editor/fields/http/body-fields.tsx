import type { FormBody } from '@millrace/nodes/curl-form';
import { useRef } from 'react';
import { Field } from '../../../ui/forms/field.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import type { FieldContext } from './field-context.ts';
import { PairRows } from './pair-rows.tsx';
import { FILE_EXAMPLE, PartRows } from './part-rows.tsx';
import { switchBody } from './switch-body.ts';
import { TemplateField } from './template-field.tsx';
import { useHttpTexts } from './texts/use-http-texts.ts';

const KINDS = ['none', 'json', 'form', 'multipart', 'file', 'raw'] as const;

interface BodyFieldsProps {
  context: FieldContext;
  body: FormBody;
  onChange: (body: FormBody) => void;
}

/** The kinds of body that were left, as long as the request is changed here: another one begins without them. */
function useLeftBodies(body: FormBody, onChange: (body: FormBody) => void) {
  const left = useRef<FormBody[]>([]);
  const own = useRef(body);
  if (own.current !== body) {
    own.current = body;
    left.current = [];
  }
  const change = (next: FormBody) => {
    own.current = next;
    onChange(next);
  };
  const choose = (kind: FormBody['kind']) => {
    if (kind === body.kind) return;
    left.current = [...left.current.filter((before) => before.kind !== body.kind), body];
    change(switchBody(kind, left.current));
  };
  return { change, choose };
}

export function BodyFields({ context, body, onChange }: BodyFieldsProps) {
  const t = useHttpTexts();
  const { change, choose } = useLeftBodies(body, onChange);
  return (
    <>
      <Field label={t('body')}>
        {(control) => (
          <Select
            {...control}
            value={body.kind}
            choices={KINDS.map((value) => ({ value, label: t(`body_kind.${value}`) }))}
            onChange={choose}
          />
        )}
      </Field>
      <Content context={context} body={body} onChange={change} />
    </>
  );
}

function Content({ context, body, onChange }: BodyFieldsProps) {
  const t = useHttpTexts();
  switch (body.kind) {
    case 'none':
      return null;
    case 'json':
      return (
        <TemplateField
          {...context}
          multiline
          label={t('json_text')}
          placeholder={'{"name": "$input.name"}'}
          value={body.text}
          onChange={(text) => onChange({ ...body, text })}
        />
      );
    case 'raw':
      return (
        <>
          <TemplateField
            {...context}
            label={t('content_type')}
            placeholder="text/plain"
            value={body.type}
            onChange={(type) => onChange({ ...body, type })}
          />
          <TemplateField
            {...context}
            multiline
            label={t('raw_text')}
            value={body.text}
            onChange={(text) => onChange({ ...body, text })}
          />
        </>
      );
    case 'form':
      return (
        <PairRows
          context={context}
          title={t('fields')}
          rows={body.rows}
          labels={{ name: (row) => t('field_name', { row }), value: (row) => t('field_value', { row }) }}
          onChange={(rows) => onChange({ ...body, rows })}
        />
      );
    case 'multipart':
      return <PartRows context={context} rows={body.rows} onChange={(rows) => onChange({ ...body, rows })} />;
    case 'file':
      return (
        <>
          <TemplateField
            {...context}
            label={t('file')}
            hint={t('file_hint')}
            placeholder={FILE_EXAMPLE}
            value={body.file}
            onChange={(file) => onChange({ ...body, file })}
          />
          <TemplateField
            {...context}
            label={t('content_type')}
            placeholder={t('type_of_file')}
            value={body.type}
            onChange={(type) => onChange({ ...body, type })}
          />
        </>
      );
    default:
      return body satisfies never;
  }
}
