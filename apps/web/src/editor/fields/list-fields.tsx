import type { Json } from '@millrace/engine';
import { useDocument } from '../../features/document/context.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { toText } from '../../lib/json/to-text.ts';
import { Select } from '../../ui/forms/select.tsx';
import type { ParameterFieldProps } from './parameter-field-props.ts';
import { ParameterRows } from './row-list.tsx';
import { WorkflowField } from './workflow-field.tsx';

const toRows = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.map((row) => toText(row)) : [];

/** Any number of workflows. */
export function WorkflowsField(props: ParameterFieldProps) {
  const { meta, value } = props;
  return (
    <ParameterRows
      field={props}
      rows={toRows(value)}
      empty=""
      draw={(row, index, change) => (
        <WorkflowField
          {...props}
          meta={{ kind: 'workflow', mode: 'literal', title: `${meta.title} ${index + 1}` }}
          value={row}
          problem={undefined}
          onChange={(next) => change(toText(next))}
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
  const others = nodes.filter((node) => node.id !== node_id && node.type === type).map(getNodeLabel);
  return (
    <ParameterRows
      field={props}
      rows={toRows(value)}
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
