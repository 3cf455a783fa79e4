import {
  type FieldMeta,
  fieldMeta,
  isJsonObject,
  type JsonObject,
  type NodeDefinition,
  resolveEffect,
} from '@millrace/engine';
import type { z } from 'zod';

const MODES: Readonly<Record<FieldMeta['mode'], string>> = {
  literal: 'as written',
  template: 'text with `$` references',
  value: 'value, keeps its type',
  json: 'JSON with expressions inside',
  raw: 'expression, keeps its type',
  prompt: 'text for a model',
  condition: 'condition',
};

const EFFECTS = {
  pure: 'Computed from its inputs alone; recomputed after a crash.',
  read: 'Repeated freely after a crash.',
  idempotent: 'Repeated after a crash with the same idempotency key.',
  steps: 'Continues after its last recorded step.',
  unsafe: 'Never repeated automatically: a crash in the middle fails the node as `outcome_unknown`.',
} as const;

/** The folder of a node type: `textInput` is in `text-input`. */
export const toFolderName = (type: string): string =>
  type.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The documentation page of a node type: its guide, then what its definition declares. */
export function renderNodeGuide(definition: NodeDefinition, guide: string): string {
  const heading = `# ${definition.title}`;
  const told = guide.trim().replace(/^# .*\n+/, '');
  return [
    heading,
    told === '' ? prose(definition.summary) : told,
    '## Reference',
    renderFacts(definition),
    ...renderParams(definition),
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}

function renderFacts(definition: NodeDefinition): string {
  const { type, family, traits, aliases } = definition;
  const ports = definition.ports(definition.initial);
  const facts: [string, string][] = [
    ['Type', code(type)],
    ...(aliases.length > 0 ? ([['Also read as', aliases.map(code).join(', ')]] as [string, string][]) : []),
    ['Family', family],
    ['Inputs', names(ports.inputs)],
    ['Outputs', names(ports.outputs)],
    ['After a crash', EFFECTS[resolveEffect(definition, definition.initial)]],
    ['Retry and continue on error', traits.error_settings ? 'offered' : 'not offered'],
    ...listJoins(definition),
  ];
  return table(['Fact', 'Value'], facts);
}

/** The setting that nodes with several ways share; some have it among their fields. */
function listJoins({ params, traits, ports, initial }: NodeDefinition): [string, string][] {
  const isListed = ports(initial).outputs.length > 1 && !traits.loop && !('closesJoins' in params.shape);
  return isListed ? [['Skip nodes that other branches lead to', code('closesJoins')]] : [];
}

function renderParams({ params, initial }: NodeDefinition): string[] {
  const shape: Record<string, z.ZodType> = params.shape;
  const rows = Object.entries(shape).map(([key, schema]) => {
    const meta = fieldMeta(schema);
    const read = meta === undefined ? '' : MODES[meta.mode];
    return [
      code(key),
      meta?.title ?? '',
      read,
      added(initial, key),
      fallback(schema),
      prose(meta?.help ?? ''),
    ];
  });
  if (rows.length === 0) return [];
  return [table(['Field', 'Name', 'Read as', 'In a new node', 'When left out', 'Notes'], rows)];
}

function added(initial: JsonObject, key: string): string {
  return Object.hasOwn(initial, key) ? code(JSON.stringify(initial[key])) : '';
}

function fallback(schema: z.ZodType): string {
  const result = schema.safeParse(undefined);
  if (!result.success) return 'required';
  return result.data === undefined ? '' : code(JSON.stringify(result.data));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Text of a definition is no Markdown: `<name>` must not become a tag. */
function prose(text: string): string {
  return text.replaceAll('<', '&lt;');
}

function code(text: string): string {
  return `\`${text}\``;
}

function names(list: readonly string[]): string {
  return list.length === 0 ? 'none' : list.map(code).join(', ');
}

/** An example of a guide: stored parameters, the situation, and what the node returns. */
export interface GuideExample {
  data: JsonObject;
  [key: string]: unknown;
}

/** The examples of a guide: its fenced blocks of the language `json example`. */
export function guideExamples(guide: string): GuideExample[] {
  return [...guide.matchAll(/^```json example\n([\s\S]*?)^```/gm)].map(([, text = '']) => {
    const example: unknown = JSON.parse(text);
    if (!isJsonObject(example) || !isJsonObject(example['data'])) throw new Error('an example needs "data"');
    return { ...example, data: example['data'] };
  });
}
