import type { Json, JsonObject } from '@millrace/engine';

/** How a visitor fills in a field. */
export const FIELD_TYPES = ['text', 'number', 'boolean', 'choice', 'date', 'file'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** A field of a start node as visitors see it. */
export interface PortalField {
  readonly key: string;
  readonly defaultValue: Json;
  readonly label?: string | undefined;
  readonly hint?: string | undefined;
  readonly type?: FieldType | undefined;
  readonly options?: string[] | undefined;
  readonly required?: boolean | undefined;
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

/** As generous as the nodes that read data URLs: what one of them takes for a file is checked as a file. */
const DATA_URL = /^\s*data:([^,;]*)((?:;[^,]*)?),/i;
const MEDIA_TYPE = /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/;

/** A file in a text; undefined for a text that is none. */
export function fileOf(value: Json): { readonly media_type: string; readonly bytes: number } | undefined {
  if (typeof value !== 'string') return undefined;
  const [head, named = '', settings = ''] = DATA_URL.exec(value) ?? [];
  if (head === undefined) return undefined;
  const type = named.trim().toLowerCase();
  const isBase64 = /;base64$/i.test(settings);
  if (!isBase64 && type !== '' && !MEDIA_TYPE.test(type)) return undefined;
  const media_type = type === '' ? 'text/plain' : MEDIA_TYPE.test(type) ? type : 'application/octet-stream';
  const length = value.length - head.length;
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  return { media_type, bytes: isBase64 ? Math.max(0, Math.floor((length * 3) / 4) - padding) : length };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function isDay(value: Json): boolean {
  if (typeof value !== 'string' || !DAY.test(value)) return false;
  const at = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value);
}

const isAbsent = (value: Json | undefined): value is undefined | null | '' =>
  value === undefined || value === null || value === '';

function sizeProblem(value: Json, rule: UploadRule): string | undefined {
  if (typeof value !== 'string') return undefined;
  const file = fileOf(value);
  const most = `${rule.max_bytes / MB} MB`;
  if (!file) return value.length > rule.max_bytes ? `has more than ${most}` : undefined;
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
  const isNone = fileOf(value) === undefined && rule.allowed_types.every((type) => NEVER_TEXT.test(type));
  return sizeProblem(value, rule) ?? (isNone ? 'must be a file as a data URL' : undefined);
}

/** What is wrong with the value of a field, as the end of a sentence; undefined when nothing is. */
export function inputProblem(
  { type, options = [], required = false, defaultValue }: PortalField,
  value: Json | undefined,
  rule: UploadRule | undefined,
): string | undefined {
  if (isAbsent(value)) return required && isAbsent(defaultValue) ? 'must be filled in' : undefined;
  // The page sends the owner's own value along.
  if (value === defaultValue) return undefined;
  switch (type) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? undefined : 'must be a number';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'choice':
      return typeof value === 'string' && options.includes(value)
        ? undefined
        : `must be one of: ${options.join(', ')}`;
    case 'date':
      return isDay(value) ? undefined : 'must be a date such as 2026-01-31';
    case 'file':
      return fileProblem(value, rule);
    default:
      return rule && sizeProblem(value, rule);
  }
}

const isRecord = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textIn = (field: JsonObject, name: string): string | undefined => {
  const value = field[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
};

/** What the node says about the field beyond its key; anything else that is stored there is passed over. */
function described(field: JsonObject): Partial<PortalField> {
  const type = FIELD_TYPES.find((name) => name === field['type']);
  const [label, hint] = [textIn(field, 'label'), textIn(field, 'hint')];
  const options = Array.isArray(field['options'])
    ? field['options'].filter((o) => typeof o === 'string')
    : [];
  return {
    ...(label === undefined ? {} : { label }),
    ...(hint === undefined ? {} : { hint }),
    ...(type === undefined ? {} : { type }),
    ...(type === 'choice' ? { options } : {}),
    ...(field['required'] === true ? { required: true } : {}),
  };
}

interface StartNode {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function fieldsOf({ type, data }: StartNode): PortalField[] {
  const fields = type === 'textInput' && data['active'] !== false ? data['inputFields'] : undefined;
  if (!Array.isArray(fields)) return [];
  return (fields as Json[]).flatMap((field) =>
    isRecord(field) && typeof field['key'] === 'string' && field['key'] !== ''
      ? [{ key: field['key'], defaultValue: field['defaultValue'] ?? null, ...described(field) }]
      : [],
  );
}

/** §4.4: the `inputFields` of start nodes of type `textInput`, each key once. */
export function portalFieldsOf(nodes: readonly StartNode[]): PortalField[] {
  const byKey = new Map<string, PortalField>();
  for (const field of nodes.flatMap(fieldsOf)) if (!byKey.has(field.key)) byKey.set(field.key, field);
  return [...byKey.values()];
}
