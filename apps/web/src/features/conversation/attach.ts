import { ASSISTANT_LIMITS, type AssistantAttachment } from '@millrace/contracts';
import { toDataUrl } from '../../lib/files/data-url.ts';

/** The types of files that may be attached, as a file chooser takes them. */
export const ACCEPTED =
  'image/png,image/jpeg,image/gif,image/webp,application/pdf,text/*,.txt,.md,.csv,.json,.log,.yaml,.yml,.xml';

export type Attached =
  | { readonly attachment: AssistantAttachment; readonly problem?: undefined }
  | { readonly problem: 'type' | 'size'; readonly most_bytes: number };

const TEXT_NAME = /\.(txt|md|csv|json|log|ya?ml|xml|html?|js|ts|py|sql)$/i;
const IMAGE_TYPE = /^image\/(png|jpeg|gif|webp)$/;

function detectKind({ type, name }: File): AssistantAttachment['kind'] | undefined {
  if (IMAGE_TYPE.test(type)) return 'image';
  if (type === 'application/pdf') return 'pdf';
  return type.startsWith('text/') || type === 'application/json' || TEXT_NAME.test(name) ? 'text' : undefined;
}

const MOST_BYTES = {
  text: ASSISTANT_LIMITS.text_characters,
  image: ASSISTANT_LIMITS.image_bytes,
  pdf: ASSISTANT_LIMITS.pdf_bytes,
} as const;

/** A file as the assistant takes it. */
export async function readFile(file: File): Promise<Attached> {
  const kind = detectKind(file);
  if (!kind) return { problem: 'type', most_bytes: 0 };
  const most_bytes = MOST_BYTES[kind];
  if (file.size > most_bytes) return { problem: 'size', most_bytes };
  const content = kind === 'text' ? await file.text() : await toDataUrl(file);
  if (content === '') return { problem: 'type', most_bytes };
  return { attachment: { name: file.name.slice(0, 255), kind, content } };
}
