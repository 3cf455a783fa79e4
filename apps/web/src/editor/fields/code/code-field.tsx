import { useDocument } from '../../../features/document/context.ts';
import { toText } from '../../../lib/json/to-text.ts';
import { Field } from '../../../ui/forms/field.tsx';
import type { ParameterFieldProps } from '../parameter-field-props.ts';
import CodeInput from './code-input.tsx';
import { isCodeLanguage } from './languages.ts';
import { parameterNames } from './parameter-names.ts';
import { SandboxNote } from './sandbox-note.tsx';

/** The code of a node in the language that the node is set to. */
export function CodeField({ node_id, meta, value, problem, onChange, onBlur }: ParameterFieldProps) {
  const data = useDocument(({ document }) => document.nodes.find(({ id }) => id === node_id)?.data);
  const language = data?.['codeLanguage'];
  return (
    <>
      <SandboxNote />
      <Field label={meta.title} hint={meta.help} error={problem}>
        {(control) => (
          <CodeInput
            label={meta.title}
            value={toText(value)}
            language={isCodeLanguage(language) ? language : 'python'}
            names={parameterNames(data?.['codeParameters'])}
            placeholder={meta.placeholder}
            described_by={control['aria-describedby']}
            invalid={problem !== undefined}
            onChange={onChange}
            onBlur={onBlur}
          />
        )}
      </Field>
    </>
  );
}
