import { Suspense } from 'react';
import { lazy } from '../../lib/code/lazy.ts';
import { pythonToolRows } from '../../lib/graph/rows.ts';
import { Skeleton } from '../../ui/display/skeleton.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { ParameterRows } from './row-list.tsx';

const CodeInput = lazy(() => import('./code/code-input.tsx'));

const EMPTY = {
  name: '',
  description: '',
  parameters: '{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}',
  code: '',
};

/** Functions in Python that an agent may call: name, what it is for, arguments as JSON Schema, and code. */
export function PythonToolsField(props: ParameterFieldProps) {
  const { value, onBlur } = props;
  const t = usePanelTexts('fields');
  return (
    <ParameterRows
      field={props}
      rows={pythonToolRows(value)}
      empty={EMPTY}
      draw={(row, index, change) => {
        const bound = (key: keyof typeof EMPTY, label: string) => ({
          'aria-label': `${label} ${index + 1}`,
          placeholder: label,
          value: row[key],
          onChange: (event: { target: { value: string } }) => change({ ...row, [key]: event.target.value }),
          onBlur,
        });
        return (
          <div className="flex flex-col gap-1.5">
            <Input {...bound('name', t('tool_name'))} />
            <Input {...bound('description', t('tool_description'))} />
            <TextArea mono spellCheck={false} rows={3} {...bound('parameters', t('tool_parameters'))} />
            <Suspense fallback={<Skeleton className="h-32" />}>
              <CodeInput
                small
                label={`${t('tool_code')} ${index + 1}`}
                language="python"
                placeholder={t('tool_code')}
                value={row.code}
                onChange={(code) => change({ ...row, code })}
                onBlur={onBlur}
              />
            </Suspense>
          </div>
        );
      }}
    />
  );
}
