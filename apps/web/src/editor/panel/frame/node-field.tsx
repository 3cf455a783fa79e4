import type { Json, WorkflowNode } from '@millrace/engine';
import { memo, useCallback } from 'react';
import { ParameterField } from '../../fields/parameter-field.tsx';
import type { ParameterFieldProps } from '../../fields/parameter-field-props.ts';
import { useEditor } from '../../state/context.tsx';

/** Changes the parameter of a name. */
export type ChangeParameter = (name: string) => (value: Json | undefined) => void;

type OneParameter = Pick<ParameterFieldProps, 'name' | 'meta' | 'fallback' | 'problem' | 'row_problems'>;

interface NodeFieldProps extends OneParameter {
  node: WorkflowNode;
  onChange: ChangeParameter;
}

interface StoredFieldProps extends OneParameter {
  node_id: string;
  value: Json | undefined;
  onChange: ChangeParameter;
}

/** Each key typed into one field makes a new node; the other fields of a form are drawn again only when they changed. */
const StoredField = memo(function StoredField({ onChange, ...field }: StoredFieldProps) {
  const { store } = useEditor();
  const { name } = field;
  const change = useCallback((value: Json | undefined) => onChange(name)(value), [onChange, name]);
  return <ParameterField {...field} onChange={change} onBlur={() => store.getState().settle()} />;
});

/** The field of a parameter of a node, with its stored value. */
export function NodeField({ node, ...field }: NodeFieldProps) {
  return <StoredField {...field} node_id={node.id} value={node.data[field.name]} />;
}
