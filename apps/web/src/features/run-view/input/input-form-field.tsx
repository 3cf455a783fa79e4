import type { InputField } from '@millrace/engine/input-fields';
import { Paperclip, X } from 'lucide-react';
import { toDataUrl } from '../../../lib/files/data-url.ts';
import { toText } from '../../../lib/json/to-text.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { pickFiles } from '../../../ui/forms/file-drop.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { Checkbox } from '../../../ui/forms/toggles.tsx';
import { useRunViewTexts } from '../texts/use-run-view-texts.ts';
import { readField } from './input-form.ts';

export interface InputFormFieldProps {
  field: InputField;
  typed: ReadonlyMap<string, string>;
  onType: (text: string) => void;
}

/** A field without text entry: a switch, a choice or a file. */
export function ChosenField({ field, typed, onType }: InputFormFieldProps) {
  const t = useRunViewTexts();
  const label = field.label ?? field.key;
  const text = typed.get(field.key) ?? toText(field.default_value);
  if (field.type === 'boolean') {
    const read = readField(field, typed);
    const isOn = read !== undefined && 'value' in read && read.value === true;
    return <Checkbox label={label} checked={isOn} onChange={(next) => onType(String(next))} />;
  }
  return (
    <Field label={label} hint={field.hint} required={field.required === true}>
      {(control) =>
        field.type === 'choice' ? (
          <Select
            {...control}
            value={text}
            choices={[
              { value: '', label: t('choose') },
              ...(field.options ?? []).map((option) => ({ value: option, label: option })),
            ]}
            onChange={onType}
          />
        ) : (
          <FileControl id={control.id} text={text} onType={onType} />
        )
      }
    </Field>
  );
}

/** Files are sent as data URLs, as portals do. */
function FileControl({ id, text, onType }: { id: string; text: string; onType: (text: string) => void }) {
  const t = useRunViewTexts();
  const choose = async () => {
    const [file] = await pickFiles({ multiple: false });
    if (file) onType(await toDataUrl(file));
  };
  return text === '' ? (
    <Button id={id} size="small" onClick={() => void choose()}>
      <Paperclip aria-hidden />
      {t('choose_file')}
    </Button>
  ) : (
    <Button id={id} size="small" onClick={() => onType('')}>
      <X aria-hidden />
      {t('remove_file')}
    </Button>
  );
}
