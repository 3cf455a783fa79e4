import type { FieldMeta, Json, JsonObject } from '@millrace/engine';

export interface ParameterFieldProps {
  node_id: string;
  name: string;
  meta: FieldMeta;
  value: Json | undefined;
  /** The value that a run uses when the parameter is left out. */
  fallback?: Json | undefined;
  problem: string | undefined;
  /** Of a field in a list of objects: the object, whose other fields it may depend on. */
  row?: JsonObject;
  /** The problems of single rows of a list, by their place. */
  row_problems?: ReadonlyMap<number, string>;
  onChange: (value: Json | undefined) => void;
  onBlur: () => void;
}
