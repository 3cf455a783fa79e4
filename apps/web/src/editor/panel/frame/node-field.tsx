import type { Json, WorkflowNode } from '@millrace/engine';
import { ParameterField } from '../../fields/parameter-field.tsx';
import type { ParameterFieldProps } from '../../fields/parameter-field-props.ts';
import { useEditor } from '../../state/context.tsx';

/** Changes the parameter of a name. */
export type ChangeParameter = (name: string) => (value: Json | undefined) => void;

interface NodeFieldProps
  extends Pick<ParameterFieldProps, 'name' | 'meta' | 'fallback' | 'problem' | 'row_problems'> {
  node: WorkflowNode;
  onChange: ChangeParameter;
}

/** The field of a parameter of a node, with its stored value. */
export function NodeField({ node, onChange, ...field }: NodeFieldProps) {
  const { store } = useEditor();
  return (
    <ParameterField
      {...field}
      node_id={node.id}
      value={node.data[field.name]}
      onChange={onChange(field.name)}
      onBlur={() => store.getState().settle()}
    />
  );
}
