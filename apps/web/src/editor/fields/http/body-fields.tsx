import type { FormBody } from '@millrace/nodes/curl-form';
import { Field } from '../../../ui/forms/field.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import type { FieldContext } from './field-context.ts';
import { PairRows } from './pair-rows.tsx';
import { EMPTY_PART, FILE_EXAMPLE, PartRows } from './part-rows.tsx';
import { TemplateField } from './template-field.tsx';
import { useHttpTexts } from './texts/use-http-texts.ts';

const KINDS = ['none', 'json', 'form', 'multipart', 'file', 'raw'] as const;

/** A body of another kind; texts that both kinds have stay. */
function bodyAs(kind: FormBody['kind'], before: FormBody): FormBody {
  const text = before.kind === 'json' || before.kind === 'raw' ? before.text : '';
  const rows = before.kind === 'form' || before.kind === 'multipart' ? before.rows : [];
  switch (kind) {
    case 'none':
      return { kind };
    case 'json':
      return { kind, text, type: 'application/json' };
    case 'raw':
      return { kind, text, type: 'text/plain' };
    case 'form':
      return { kind, rows: rows.map(({ name, value }) => ({ name, value, raw: false })), type: '' };
    case 'multipart':
      return { kind, rows: rows.map(({ name, value }) => ({ ...EMPTY_PART, name, value })) };
    case 'file':
      return { kind, file: '', type: '' };
    default:
      return kind satisfies never;
  }
}

interface BodyFieldsProps {
  context: FieldContext;
  body: FormBody;
  onChange: (body: FormBody) => void;
}

export function BodyFields({ context, body, onChange }: BodyFieldsProps) {
  const t = useHttpTexts();
  return (
    <>
      <Field label={t('body')}>
        {(control) => (
          <Select
            {...control}
            value={body.kind}
            choices={KINDS.map((value) => ({ value, label: t(`body_kind.${value}`) }))}
            onChange={(kind) => {
              if (kind !== body.kind) onChange(bodyAs(kind, body));
            }}
          />
        )}
      </Field>
      <Content context={context} body={body} onChange={onChange} />
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
