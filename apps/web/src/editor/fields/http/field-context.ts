import type { ParameterFieldProps } from '../parameter-field-props.ts';

/** The props that every field of the form needs. */
export type FieldContext = Pick<ParameterFieldProps, 'node_id' | 'onBlur'>;
