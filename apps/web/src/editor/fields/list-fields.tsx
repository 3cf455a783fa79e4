import type { Json } from '@millrace/engine';
import { Select } from '../../ui/forms/select.tsx';
import { labelOf } from '../document/edit.ts';
import { useDocument } from '../state/context.tsx';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { ParameterRows } from './row-list.tsx';
import { textOf } from './rows.ts';
import { WorkflowField } from './workflow-field.tsx';

const rowsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.map((row) => textOf(row)) : [];

/** Any number of workflows. */
export function WorkflowsField(props: ParameterFieldProps) {
  const { meta, value } = props;
  return (
    <ParameterRows
      field={props}
      rows={rowsOf(value)}
      empty=""
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
export function AgentLabelsField(props: ParameterFieldProps) {
  const { node_id, meta, value } = props;
  const nodes = useDocument((state) => state.document.nodes);
  const type = nodes.find((node) => node.id === node_id)?.type;
  const others = nodes.filter((node) => node.id !== node_id && node.type === type).map(labelOf);
  return (
    <ParameterRows
      field={props}
      rows={rowsOf(value)}
      empty=""
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
