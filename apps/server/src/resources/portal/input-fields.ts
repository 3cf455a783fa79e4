import type { PortalInfo } from '@millrace/contracts';
import { isJsonObject, type Json } from '@millrace/engine';

type InputField = PortalInfo['input_fields'][number];

interface StartNode {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function fieldsOf({ type, data }: StartNode): InputField[] {
  const fields = type === 'textInput' && data['active'] !== false ? data['inputFields'] : undefined;
  if (!Array.isArray(fields)) return [];
  return (fields as Json[]).flatMap((field) =>
    isJsonObject(field) && typeof field['key'] === 'string' && field['key'] !== ''
      ? [{ key: field['key'], defaultValue: field['defaultValue'] ?? null }]
      : [],
  );
}

/** §4.4: the `inputFields` of start nodes of type `textInput`, each key once. */
export function inputFieldsOf(nodes: readonly StartNode[]): InputField[] {
  const byKey = new Map<string, InputField>();
  for (const field of nodes.flatMap(fieldsOf)) if (!byKey.has(field.key)) byKey.set(field.key, field);
  return [...byKey.values()];
}
