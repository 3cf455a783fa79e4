import type { Json } from '@millrace/engine';
import { Select } from '../../ui/forms/select.tsx';
import { useDocument } from '../context.tsx';
import { labelOf } from '../document/edit.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { RowList } from './row-list.tsx';
import { textOf } from './rows.ts';
import { WorkflowField } from './workflow-field.tsx';

const rowsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.map((row) => textOf(row)) : [];

/** Any number of workflows. */
export function WorkflowsField(props: ParameterFieldProps) {
  const { meta, value, problem, row_problems, onChange } = props;
  return (
    <RowList
      title={meta.title}
      help={meta.help}
      problem={problem}
      row_problems={row_problems}
      rows={rowsOf(value)}
      empty=""
      onChange={onChange}
      draw={(row, index, change) => (
        <WorkflowField
          {...props}
          meta={{ kind: 'workflow', mode: 'literal', title: `${meta.title} ${index + 1}` }}
          value={row}
          problem={undefined}
          onChange={(next) => change(textOf(next))}
        />
      )}
    />
  );
}

/** Other nodes of the same type, by their labels. */
export function AgentLabelsField({
  node_id,
  meta,
  value,
  problem,
  row_problems,
  onChange,
}: ParameterFieldProps) {
  const nodes = useDocument((state) => state.document.nodes);
  const type = nodes.find((node) => node.id === node_id)?.type;
  const others = nodes.filter((node) => node.id !== node_id && node.type === type).map(labelOf);
  return (
    <RowList
      title={meta.title}
      help={meta.help}
      problem={problem}
      row_problems={row_problems}
      rows={rowsOf(value)}
      empty=""
      onChange={onChange}
      draw={(row, index, change) => (
        <Select
          aria-label={`${meta.title} ${index + 1}`}
          value={row}
          choices={[...new Set(row === '' ? others : [...others, row])].map((label) => ({
            value: label,
            label,
          }))}
          onChange={change}
        />
      )}
    />
  );
}
