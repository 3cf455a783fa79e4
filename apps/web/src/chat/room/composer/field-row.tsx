/** @jsxImportSource preact */
import type { PortalField } from '@millrace/contracts/portal-input';
import type { TargetedEvent } from 'preact';
import { type FieldProblem, getFieldKind } from '../../conversation/fields.ts';
import { fieldLabel, t } from '../../texts.ts';
import { Attachment } from '../message/attachment.tsx';
import { AttachButton } from './attach-button.tsx';
import { TextArea } from './text-area.tsx';
import type { Files } from './use-files.ts';

export interface FieldRowProps {
  id: string;
  field: PortalField;
  value: string | boolean;
  problem: FieldProblem | undefined;
  onChange: (value: string | boolean) => void;
  takesFocus: boolean;
  files: Files;
}

/** One field of a form, with the control that fits its values. */
export function FieldRow(props: FieldRowProps) {
  const { id, field, value, problem, onChange } = props;
  const label = fieldLabel(field);
  const hint = field.hint ? (
    <p id={`${id}-hint`} class="field-hint" dir="auto">
      {field.hint}
    </p>
  ) : null;
  if (getFieldKind(field) === 'switch')
    return (
      <div class="field">
        <label class="field is-switch">
          <input
            id={id}
            type="checkbox"
            checked={value === true}
            aria-describedby={hint ? `${id}-hint` : undefined}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
          <span dir="auto">{label}</span>
        </label>
        {hint}
      </div>
    );
  const described = [hint ? `${id}-hint` : '', problem ? `${id}-problem` : ''].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label id={`${id}-label`} for={id} dir="auto">
        {label}
        {field.required ? <span class="field-required">{t('required')}</span> : null}
      </label>
      {hint}
      <Control {...props} described={described || undefined} />
      {problem ? (
        <p id={`${id}-problem`} class="field-problem">
          {t(problem)}
        </p>
      ) : null}
    </div>
  );
}

function Control({
  id,
  field,
  value,
  problem,
  onChange,
  takesFocus,
  files,
  described,
}: FieldRowProps & { described: string | undefined }) {
  const text = String(value);
  const shared = {
    id,
    'aria-describedby': described,
    'aria-invalid': problem ? ('true' as const) : undefined,
    'aria-required': field.required ? ('true' as const) : undefined,
  };
  const onInput = (event: TargetedEvent<HTMLInputElement>) => onChange(event.currentTarget.value);
  switch (getFieldKind(field)) {
    case 'number':
      return <input {...shared} inputMode="decimal" autoComplete="off" value={text} onInput={onInput} />;
    case 'date':
      return <input {...shared} type="date" value={text} onInput={onInput} />;
    case 'choice':
      return (
        <select {...shared} value={text} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{t('choose')}</option>
          {field.options?.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      );
    case 'file':
      return <FileControl {...{ id, field, files, described }} value={text} />;
    default:
      return (
        <TextArea
          id={id}
          value={text}
          onChange={onChange}
          describedBy={described}
          invalid={problem !== undefined}
          takesFocus={takesFocus}
        />
      );
  }
}

interface FileControlProps extends Pick<FieldRowProps, 'id' | 'field' | 'files'> {
  value: string;
  described: string | undefined;
}

function FileControl({ id, field, files, value, described }: FileControlProps) {
  const upload = files.uploads.find((one) => one.field.key === field.key);
  const read = files.getProgress(field.key);
  if (!upload) return <p class="field-hint">{t('no_files')}</p>;
  return (
    <div id={id} role="group" aria-labelledby={`${id}-label`} aria-describedby={described} tabIndex={-1}>
      {value !== '' || read !== undefined ? (
        <Attachment
          name={files.getName(field.key) ?? fieldLabel(field)}
          value={value}
          read={read}
          onRemove={() => {
            files.remove(field.key);
            document.getElementById(id)?.focus();
          }}
        />
      ) : (
        <AttachButton
          uploads={[upload]}
          label={t('choose_file')}
          onFile={(file) => void files.take([file], upload)}
        />
      )}
    </div>
  );
}
