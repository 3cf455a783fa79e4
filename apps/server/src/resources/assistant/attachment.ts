import { ASSISTANT_LIMITS, type AssistantAttachment } from '@millrace/contracts';
import { MEGABYTE } from '@millrace/engine/units';
import { AppError, invalidField } from '../../core/app-error.ts';
import { type DocumentReading, readDocument } from '../read-document.ts';

const PLACE = ['body', 'attachment', 'content'];
const IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/=\s]+)$/i;
const PDF = /^(?:data:application\/pdf;base64,)?([A-Za-z0-9+/=\s]+)$/i;

/** The content that a model gets of a file that a person attached: its text, or the image itself. */
export interface ReadAttachment {
  readonly name: string;
  readonly text?: string;
  /** A data URL. */
  readonly image?: string;
}

const megabytes = (bytes: number): string => `${bytes / MEGABYTE} MB`;

function requireSize(base64: string, most: number): void {
  if ((base64.length * 3) / 4 <= most + 3) return;
  throw new AppError('too_large', `The attachment is larger than ${megabytes(most)}`);
}

export async function readAttachment(
  reading: DocumentReading,
  { name, kind, content }: AssistantAttachment,
): Promise<ReadAttachment> {
  switch (kind) {
    case 'text': {
      const most = ASSISTANT_LIMITS.text_characters;
      if (content.length > most)
        throw new AppError('too_large', `The attachment has more than ${most} characters`);
      return { name, text: content };
    }
    case 'image': {
      const base64 = IMAGE.exec(content)?.[2];
      if (base64 === undefined)
        throw invalidField(PLACE, 'must be a data URL of a PNG, JPEG, GIF or WebP image');
      requireSize(base64, ASSISTANT_LIMITS.image_bytes);
      return { name, image: content.replace(/\s/g, '') };
    }
    case 'pdf': {
      const base64 = PDF.exec(content)?.[1];
      if (base64 === undefined) throw invalidField(PLACE, 'must be a PDF file in Base64 or as a data URL');
      requireSize(base64, ASSISTANT_LIMITS.pdf_bytes);
      const text = await readDocument(reading, {
        filename: 'attachment.pdf',
        bytes: Buffer.from(base64, 'base64'),
      });
      return { name, text: text.slice(0, ASSISTANT_LIMITS.text_characters) };
    }
    default:
      return kind satisfies never;
  }
}
