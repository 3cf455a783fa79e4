import type { PortalInfo } from '@millrace/contracts';
import { useId, useState } from 'preact/hooks';
import {
  type FieldProblem,
  findBoxField,
  readTyped,
  type Typed,
  toTyped,
} from '../../conversation/fields.ts';
import type { Inputs } from '../../conversation/message.ts';
import { fieldLabel, t } from '../../texts.ts';
import { useFiles } from './use-files.ts';

function getFieldLabel({ input_fields }: PortalInfo, key: string): string {
  const field = input_fields.find((one) => one.key === key);
  return field ? fieldLabel(field) : key;
}

/**
 * A message that is being written: what is in its fields, and what is wrong with it.
 *
 * @param inputs values to begin with; else the default values of the fields
 */
export function useDraft(info: PortalInfo, inputs: Inputs | undefined) {
  const fields = info.input_fields;
  const id = useId();
  const [typed, setTyped] = useState<Typed>(() => toTyped(fields, inputs));
  const [problems, setProblems] = useState<Readonly<Record<string, FieldProblem>>>({});
  const [notice, setNotice] = useState('');
  const files = useFiles({ info, typed, change: setTyped, onProblem: setNotice });
  const box = findBoxField(fields);
  const toElementId = (key: string) => `${id}-${fields.findIndex((field) => field.key === key)}`;
  const focus = (key: string | undefined) => {
    if (key !== undefined) document.getElementById(toElementId(key))?.focus();
  };
  return {
    fields,
    /** The field of the one text box; undefined where the fields make a form. */
    box,
    typed,
    problems,
    notice,
    files,
    toElementId,
    focus: () => focus((box ?? fields[0])?.key),
    change(key: string, value: string | boolean) {
      setTyped((before) => ({ ...before, [key]: value }));
      setProblems({});
    },
    /**
     * Takes the inputs that are to be sent, after which the text box is empty; undefined when something is wrong, and
     * then says what.
     */
    take(): Inputs | undefined {
      const read = readTyped(fields, typed);
      const bad = Object.keys(read.problems)[0];
      if (bad === undefined) {
        setNotice('');
        if (box) {
          files.forget();
          setTyped(Object.fromEntries(fields.map(({ key }) => [key, ''])));
        }
        return read.inputs;
      }
      // An empty box needs no words.
      if (!box) setProblems(read.problems);
      else if (bad !== box.key) setNotice(t('missing_file', { name: getFieldLabel(info, bad) }));
      focus(bad);
      return undefined;
    },
  };
}

export type Draft = ReturnType<typeof useDraft>;
