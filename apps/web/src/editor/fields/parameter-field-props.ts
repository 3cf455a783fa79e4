import type { FieldMeta, Json } from '@millrace/engine';

export interface ParameterFieldProps {
  node_id: string;
  name: string;
  meta: FieldMeta;
  value: Json | undefined;
  /** What a run uses when the parameter is left out. */
  fallback?: Json | undefined;
  problem: string | undefined;
  /** What is wrong with single rows of a list, by their place. */
  row_problems?: ReadonlyMap<number, string>;
  onChange: (value: Json | undefined) => void;
  onBlur: () => void;
}
