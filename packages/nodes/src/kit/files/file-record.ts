import { z } from 'zod';
import type { StoredFile } from '../../services.ts';

/** A file of the Drive as outputs of nodes list it. */
export type FileRecord = Pick<StoredFile, 'id' | 'filename' | 'mime_type' | 'size_bytes' | 'download_url'>;

export const fileRecord = ({
  id,
  filename,
  mime_type,
  size_bytes,
  download_url,
}: StoredFile): FileRecord => ({
  id,
  filename,
  mime_type,
  size_bytes,
  download_url,
});

/** The fields of a `FileRecord`, for outputs of nodes. */
export const FILE_RECORD = {
  id: z.string(),
  filename: z.string(),
  mime_type: z.string(),
  size_bytes: z.int(),
  download_url: z.string(),
};
