import { listWorkflows } from '@millrace/contracts';
import { useEndpoint } from '../../data/endpoint.ts';
import { toText } from '../../lib/json/to-text.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import { useEditor } from '../state/context.tsx';
import type { ParameterFieldProps } from './parameter-field-props.ts';

/** A workflow that this one may call. */
export function WorkflowField({ meta, value, problem, onChange }: ParameterFieldProps) {
  const t = usePanelTexts('fields');
  const { workflow_id } = useEditor();
  const { data = [] } = useEndpoint(listWorkflows, { query: { sort: 'name' } });
  const choices = data
    .filter((workflow) => workflow.id !== workflow_id)
    .map((workflow) => ({ value: workflow.id, label: workflow.name }));
  const stored = toText(value);
  const gone = stored !== '' && data.length > 0 && !choices.some((choice) => choice.value === stored);
  return (
    <Field label={meta.title} hint={meta.help} error={problem ?? (gone ? t('workflow_gone') : undefined)}>
      {(control) => (
        <Select
          {...control}
          value={stored}
          choices={choices}
          placeholder={t('choose_workflow')}
          onChange={onChange}
        />
      )}
    </Field>
  );
}
