import type { ExpressionMode, FieldMeta, Json } from '@millrace/engine';
import { printValue } from '@millrace/engine/json';
import { Field } from '../../ui/forms/field.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Switch } from '../../ui/forms/toggles.tsx';
import { ExpressionInput } from './expression/expression-input.tsx';
import { ExpressionPreview } from './expression/expression-preview.tsx';
import type { ParameterFieldProps } from './parameter-field-props.ts';

const asText = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : printValue(value);

const MULTILINE = new Set(['curl', 'html', 'json', 'multiline']);

/** Kinds that are text in which expressions may stand. */
function isExpression(meta: FieldMeta): boolean {
  return (
    meta.mode !== 'literal' || meta.kind === 'curl' || meta.kind === 'event_key' || meta.kind === 'condition'
  );
}

const isReference = (value: Json | undefined): boolean => typeof value === 'string' && value.startsWith('$');

function parseNumber(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  // Expressions may stand where a number is expected, and "1." is on its way to "1.5": other text is kept as it is.
  return Number.isFinite(number) && String(number) === text ? number : text;
}

export function BooleanField(props: ParameterFieldProps) {
  const { meta, value, fallback, onChange } = props;
  return isReference(value) ? (
    <TextWithExpressions {...props} />
  ) : (
    <Switch label={meta.title} hint={meta.help} checked={(value ?? fallback) === true} onChange={onChange} />
  );
}

export function NumberField({ onChange, ...props }: ParameterFieldProps) {
  return <TextWithExpressions {...props} onChange={(next) => onChange(parseNumber(asText(next)))} />;
}

export function ChoiceField({ meta, value, fallback, problem, onChange }: ParameterFieldProps) {
  return (
    <Field label={meta.title} hint={meta.help} error={problem}>
      {(control) => (
        <Select
          {...control}
          value={asText(value ?? fallback)}
          choices={(meta.choices ?? []).map((choice) => ({ value: choice.value, label: choice.title }))}
          onChange={onChange}
        />
      )}
    </Field>
  );
}

/** Text of any kind, with expressions in it where its kind has them. */
export function TextField(props: ParameterFieldProps) {
  return isExpression(props.meta) ? <TextWithExpressions {...props} /> : <PlainText {...props} />;
}

const PLAIN_KINDS = new Set(['number', 'boolean']);

/** How the text is read: where a number or a switch is expected, an expression may stand instead. */
function resolveMode(meta: FieldMeta, text: string): ExpressionMode {
  if (meta.kind === 'curl') return 'template';
  if (meta.kind === 'event_key') return 'raw';
  return PLAIN_KINDS.has(meta.kind) && text.startsWith('$') ? 'value' : meta.mode;
}

interface TextWithExpressionsProps extends ParameterFieldProps {
  hasPreview?: boolean;
}

export function TextWithExpressions({ hasPreview = true, ...props }: TextWithExpressionsProps) {
  const { node_id, meta, value, fallback, problem, onChange, onBlur } = props;
  const text = asText(value);
  const mode = resolveMode(meta, text);
  const placeholder = meta.placeholder ?? toPlaceholder(meta, fallback);
  return (
    <Field label={meta.title} hint={meta.help} error={problem}>
      {(control) => (
        <div className="flex flex-col gap-1">
          <ExpressionInput
            node_id={node_id}
            label={meta.title}
            value={text}
            mode={PLAIN_KINDS.has(meta.kind) ? 'value' : mode}
            multiline={MULTILINE.has(meta.kind)}
            placeholder={placeholder}
            described_by={control['aria-describedby']}
            invalid={problem !== undefined}
            onChange={onChange}
            onBlur={onBlur}
          />
          {hasPreview ? <ExpressionPreview node_id={node_id} text={text} mode={mode} /> : null}
        </div>
      )}
    </Field>
  );
}

/** The value that holds while nothing is written; an empty field says that best about texts. */
const toPlaceholder = (meta: FieldMeta, fallback: Json | undefined): string | undefined =>
  meta.kind === 'condition' || fallback === undefined || fallback === '' ? undefined : asText(fallback);

function PlainText({ meta, value, fallback, problem, onChange, onBlur }: ParameterFieldProps) {
  const long = meta.kind === 'multiline' || meta.kind === 'markdown' || meta.kind === 'json';
  return (
    <Field label={meta.title} hint={meta.help} error={problem}>
      {(control) =>
        long ? (
          <TextArea
            {...control}
            rows={5}
            placeholder={meta.placeholder}
            value={asText(value)}
            onChange={(event) => onChange(event.target.value)}
            onBlur={onBlur}
          />
        ) : (
          <Input
            {...control}
            value={asText(value)}
            placeholder={meta.placeholder ?? toPlaceholder(meta, fallback)}
            onChange={(event) => onChange(event.target.value)}
            onBlur={onBlur}
          />
        )
      }
    </Field>
  );
}
