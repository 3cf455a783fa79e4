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
