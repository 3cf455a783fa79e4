import {
  type Catalog,
  type ExplainedPart,
  type ExpressionMode,
  type FieldMeta,
  fieldMeta,
  inlineExplain,
  type Json,
  type MissingReference,
  type Scope,
  type WorkflowNode,
} from '@millrace/engine';
import type { z } from 'zod';

/** One expression of a node as it came out in the run: each part's value, and what had none. */
export interface ExplainedField {
  /** Parameter, and the row's name for one of a list. */
  title: string;
  /** The place of the text, to change it. */
  place: { name: string; row: number | undefined };
  text: string;
  mode: ExpressionMode;
  result: unknown;
  error: string | null;
  parts: readonly ExplainedPart[];
  missing: readonly MissingReference[];
}

interface FieldText {
  title: string;
  place: ExplainedField['place'];
  text: string;
  mode: ExpressionMode;
}

const MAX_FIELDS = 20;

/** Where a number or a switch is expected, an expression may stand instead. */
function resolveMode(meta: FieldMeta, stored: Json | undefined): ExpressionMode {
  if (meta.kind === 'curl') return 'template';
  const isPlain = meta.kind === 'number' || meta.kind === 'boolean';
  return isPlain && typeof stored === 'string' && stored.startsWith('$') ? 'value' : meta.mode;
}

function listFieldTexts(catalog: Catalog, node: WorkflowNode): FieldText[] {
  const shape: Record<string, z.ZodType> = catalog.get(node.type)?.params.shape ?? {};
  return Object.entries(shape).flatMap(([name, schema]): FieldText[] => {
    const meta = fieldMeta(schema);
    if (!meta || meta.kind === 'hidden') return [];
    const stored = node.data[name];
    const mode = resolveMode(meta, stored);
    if (mode === 'literal') return [];
    if (typeof stored === 'string')
      return [{ title: meta.title, place: { name, row: undefined }, text: stored, mode }];
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((row: Json, index): FieldText[] => {
      if (typeof row !== 'object' || row === null || Array.isArray(row)) return [];
      const { key, value } = row;
      if (typeof value !== 'string') return [];
      const place = { name, row: index };
      return [
        {
          title: `${meta.title}: ${typeof key === 'string' ? key : String(index + 1)}`,
          place,
          text: value,
          mode,
        },
      ];
    });
  });
}

/** Longest first and each text once: a name inside a path that is shown already says nothing new. */
function tellingParts(parts: readonly ExplainedPart[]): ExplainedPart[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    if (!/[$A-Za-z]/.test(part.text) || seen.has(part.text)) return false;
    seen.add(part.text);
    return true;
  });
}

/** The value that each expression of a node gave with the results before it; those in trouble first. */
export function explainFields(
  catalog: Catalog,
  node: WorkflowNode,
  known: { scope: Scope; names: readonly string[] },
): ExplainedField[] {
  const explained = listFieldTexts(catalog, node)
    .filter(({ text, mode }) => text.includes('$') || mode === 'condition')
    .slice(0, MAX_FIELDS)
    .map((field): ExplainedField => {
      const { result, error, parts, missing } = inlineExplain(field.text, field.mode, known);
      return { ...field, result, error, parts: tellingParts(parts), missing };
    });
  const isTroubled = (field: ExplainedField) => field.error !== null || field.missing.length > 0;
  return [...explained.filter(isTroubled), ...explained.filter((field) => !isTroubled(field))];
}
