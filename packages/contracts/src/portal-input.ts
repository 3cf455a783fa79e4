import type { Json } from '@millrace/engine';
import { type FieldDescription, isAbsent, readInputFields, readTyped } from '@millrace/engine/input-fields';

export { FIELD_TYPES, type FieldType } from '@millrace/engine/input-fields';

/** A field of a start node as visitors see it. */
export interface PortalField extends FieldDescription {
  readonly key: string;
  readonly defaultValue: Json;
}

/** Files of one field. */
export interface UploadRule {
  /** `text`, `image`, `pdf`, `any`, or a media type whose end may be `*`. */
  readonly allowed_types: readonly string[];
  readonly max_bytes: number;
}

interface Uploads {
  readonly file_upload_enabled: boolean;
  readonly file_config: Readonly<
    Record<string, { file_upload_enabled: boolean; allowed_types: string[]; max_size_mb: number }>
  >;
}

const MB = 1024 * 1024;
/** Of a field for files that the owner has not limited. */
const FILES: UploadRule = { allowed_types: ['text', 'image', 'pdf'], max_bytes: 5 * MB };

/** Files that a field takes; undefined for none. */
export function uploadRule(
  { file_upload_enabled, file_config }: Uploads,
  { key, type }: Pick<PortalField, 'key' | 'type'>,
): UploadRule | undefined {
  if (!file_upload_enabled) return undefined;
  const setting = Object.hasOwn(file_config, key) ? file_config[key] : undefined;
  if (!setting) return type === 'file' ? FILES : undefined;
  if (!setting.file_upload_enabled) return undefined;
  return { allowed_types: setting.allowed_types, max_bytes: setting.max_size_mb * MB };
}

const isText = (media_type: string) => media_type.startsWith('text/') || media_type === 'application/json';

/** Whether a file of this media type is taken. */
export function takesType({ allowed_types }: UploadRule, media_type: string): boolean {
  return allowed_types.some((allowed) => {
    switch (allowed) {
      case 'any':
      case '*':
      case '*/*':
        return true;
      case 'text':
        return isText(media_type);
      case 'image':
        return media_type.startsWith('image/');
      case 'pdf':
        return media_type === 'application/pdf';
      default:
        return allowed.endsWith('*') ? media_type.startsWith(allowed.slice(0, -1)) : media_type === allowed;
    }
  });
}

/** Bytes of a text in UTF-8, where half a character is kept as the three bytes of U+FFFD. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Bytes of what follows the comma of a data URL that is not in base64. */
const percentDecodedLength = (text: string): number => utf8Length(text.replace(/%[0-9a-f]{2}/gi, 'x'));

/** As generous as the nodes that read data URLs: what one of them takes for a file is checked as a file. */
const DATA_URL = /^\s*data:([^,;]*)((?:;[^,]*)?),/i;
const MEDIA_TYPE = /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/;

/** A file in a text; undefined for a text that is none. */
export function parseFile(value: Json): { readonly media_type: string; readonly bytes: number } | undefined {
  if (typeof value !== 'string') return undefined;
  const [head, named = '', settings = ''] = DATA_URL.exec(value) ?? [];
  if (head === undefined) return undefined;
  const type = named.trim().toLowerCase();
  const isBase64 = /;base64$/i.test(settings);
  if (!isBase64 && type !== '' && !MEDIA_TYPE.test(type)) return undefined;
  const media_type = type === '' ? 'text/plain' : MEDIA_TYPE.test(type) ? type : 'application/octet-stream';
  if (!isBase64) return { media_type, bytes: percentDecodedLength(value.slice(head.length)) };
  const length = value.length - head.length;
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  return { media_type, bytes: Math.max(0, Math.floor((length * 3) / 4) - padding) };
}

function sizeProblem(value: Json, rule: UploadRule): string | undefined {
  if (typeof value !== 'string') return undefined;
  const file = parseFile(value);
  const most = `${rule.max_bytes / MB} MB`;
  if (!file) return utf8Length(value) > rule.max_bytes ? `has more than ${most}` : undefined;
  if (!takesType(rule, file.media_type))
    return `is a file of the type ${file.media_type}; allowed are: ${rule.allowed_types.join(', ')}`;
  if (file.bytes === 0) return 'is an empty file; attach it again';
  return file.bytes > rule.max_bytes ? `has more than ${most}` : undefined;
}

/** Allowed types whose files are never sent as their text. */
const NEVER_TEXT = /^(image|pdf|application\/pdf|(image|audio|video)\/.*)$/;

function fileProblem(value: Json, rule: UploadRule | undefined): string | undefined {
  if (!rule) return 'takes no files, for the owner has switched them off; leave it empty';
  if (typeof value !== 'string') return 'must be a file as a data URL';
  const isNone = parseFile(value) === undefined && rule.allowed_types.every((type) => NEVER_TEXT.test(type));
  return sizeProblem(value, rule) ?? (isNone ? 'must be a file as a data URL' : undefined);
}

/** Clients know the field types and send JSON, so text in place of a number is an error. */
function typeProblem(field: Pick<PortalField, 'type' | 'options'>, value: Json): string | undefined {
  const read = readTyped(field, value);
  if ('problem' in read) return read.problem;
  if (field.type === 'number' && typeof value !== 'number') return 'must be a number';
  return field.type === 'boolean' && typeof value !== 'boolean' ? 'must be true or false' : undefined;
}

/** The problem with the value of a field, as the end of a sentence; undefined when there is none. */
export function inputProblem(
  { type, options = [], required = false, defaultValue }: PortalField,
  value: Json | undefined,
  rule: UploadRule | undefined,
): string | undefined {
  if (isAbsent(value)) return required && isAbsent(defaultValue) ? 'must be filled in' : undefined;
  // The page sends the owner's own value along.
  if (value === defaultValue) return undefined;
  if (type === 'file') return fileProblem(value, rule);
  const problem = typeProblem({ type, options }, value);
  if (problem !== undefined) return problem;
  return type === undefined || type === 'text' ? rule && sizeProblem(value, rule) : undefined;
}

interface InputNode {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Drawing {
  readonly nodes: readonly InputNode[];
  readonly edges: readonly { readonly source: string; readonly target: string }[];
}

/** The single text field of a node without `inputFields`. */
const textField = (value: unknown): PortalField => ({
  key: 'text',
  defaultValue: typeof value === 'string' && value !== '' ? value : null,
});

function readFields({ data }: InputNode): PortalField[] {
  const fields = readInputFields(data['inputFields']).map(({ default_value = null, ...field }) => ({
    ...field,
    defaultValue: default_value,
  }));
  return fields.length > 0 ? fields : [textField(data['value'])];
}

/** Active nodes of type `textInput` without incoming edges. */
function startInputs({ nodes, edges }: Drawing): InputNode[] {
  const known = new Set(nodes.map(({ id }) => id));
  const entered = new Set(edges.filter(({ source }) => known.has(source)).map(({ target }) => target));
  return nodes.filter(
    ({ id, type, data }) => type === 'textInput' && data['active'] !== false && !entered.has(id),
  );
}

/** §4.4: the `inputFields` of start nodes of type `textInput`, each key once. */
export function listPortalFields(drawing: Drawing): PortalField[] {
  const byKey = new Map<string, PortalField>();
  for (const field of startInputs(drawing).flatMap(readFields))
    if (!byKey.has(field.key)) byKey.set(field.key, field);
  return [...byKey.values()];
}
