import type { PortalFileConfig } from '@millrace/contracts';

/** Endings of text files whose type browsers do not know. */
const TEXT_FILES = /\.(txt|md|markdown|csv|tsv|json|jsonl|xml|ya?ml|html?|log|ini|toml|sql|srt|vtt)$/i;

const MB = 1024 * 1024;

/** Uploads of one field, or undefined when it takes none. Only texts: a portal call carries JSON. */
export function uploadRule(
  { file_upload_enabled, file_config }: { file_upload_enabled: boolean; file_config: PortalFileConfig },
  key: string,
): { max_bytes: number } | undefined {
  const setting = file_config[key];
  if (!file_upload_enabled || !setting?.file_upload_enabled) return undefined;
  const takesText = setting.allowed_types.some((type) => type === 'text' || type.startsWith('text/'));
  return takesText ? { max_bytes: setting.max_size_mb * MB } : undefined;
}

export type Attached =
  | { readonly text: string }
  | { readonly problem: 'attach_wrong_type' | 'attach_too_big' };

/** The text of a file, or why it is not taken. */
export async function readTextFile(file: File, max_bytes: number): Promise<Attached> {
  if (file.size > max_bytes) return { problem: 'attach_too_big' };
  const isText =
    file.type.startsWith('text/') || file.type === 'application/json' || TEXT_FILES.test(file.name);
  if (!isText) return { problem: 'attach_wrong_type' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()) };
  } catch {
    return { problem: 'attach_wrong_type' };
  }
}
