import { useMemo } from 'react';
import { useWorkflows } from '../../../data/workflows.ts';
import { Picker } from '../../../ui/forms/picker.tsx';
import { useRunsTexts } from '../texts/use-runs-texts.ts';

interface WorkflowFilterProps {
  /** Undefined: all workflows. */
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}

/** Limits a list to what belongs to one workflow. */
export function WorkflowFilter({ value, onChange }: WorkflowFilterProps) {
  const t = useRunsTexts();
  const { data: workflows } = useWorkflows();
  const choices = useMemo(
    () => (workflows ?? []).map(({ id, name }) => ({ value: id, label: name })),
    [workflows],
  );
  return (
    <Picker
      fit
      className="max-w-52 shrink-0"
      aria-label={t('filter_workflow')}
      value={value ?? ''}
      none={t('any_workflow')}
      choices={choices}
      onChange={(id) => onChange(id === '' ? undefined : id)}
    />
  );
}
