import { useDocument } from '../../features/document/context.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { toText } from '../../lib/json/to-text.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Select } from '../../ui/forms/select.tsx';
import type { ParameterFieldProps } from './parameter-field-props.ts';

/** Another node of the same workflow, by its label. */
export function NodeLabelField({ node_id, meta, value, problem, onChange }: ParameterFieldProps) {
  const nodes = useDocument((state) => state.document.nodes);
  return (
    <Field label={meta.title} hint={meta.help} error={problem}>
      {(control) => (
        <Select
          {...control}
          value={toText(value)}
          choices={nodes
            .filter((node) => node.id !== node_id)
            .map((node) => ({ value: getNodeLabel(node), label: getNodeLabel(node) }))}
          onChange={onChange}
        />
      )}
    </Field>
  );
}
