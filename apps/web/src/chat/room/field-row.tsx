/** @jsxImportSource preact */
import type { PortalInfo } from '@millrace/contracts';
import { type FieldProblem, kindOf } from '../conversation/fields.ts';
import { stepText, t } from '../texts.ts';
import { TextArea } from './text-area.tsx';

export interface FieldRowProps {
  id: string;
  field: PortalInfo['input_fields'][number];
  value: string | boolean;
  problem: FieldProblem | undefined;
  onChange: (value: string | boolean) => void;
  takesFocus: boolean;
}

/** One field of a form, with the control that fits its values. */
export function FieldRow({ id, field, value, problem, onChange, takesFocus }: FieldRowProps) {
  const kind = kindOf(field);
  const label = stepText(field.key);
  const note = problem ? `${id}-problem` : undefined;
  if (kind === 'switch')
    return (
      <label class="field is-switch">
        <input
          id={id}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span dir="auto">{label}</span>
      </label>
    );
  const text = String(value);
  return (
    <div class="field">
      <label for={id} dir="auto">
        {label}
      </label>
      {kind === 'number' ? (
        <input
          id={id}
          inputMode="decimal"
          autoComplete="off"
          value={text}
          aria-describedby={note}
          aria-invalid={problem ? 'true' : undefined}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <TextArea
          id={id}
          value={text}
          onChange={onChange}
          describedBy={note}
          invalid={problem !== undefined}
          takesFocus={takesFocus}
        />
      )}
      {problem ? (
        <p id={note} class="field-problem">
          {t(problem)}
        </p>
      ) : null}
    </div>
  );
}
