import { isImageAddress } from './result-kinds.ts';

export interface OutputFile {
  readonly name: string;
  readonly href: string;
  readonly isImage: boolean;
}

const MAX_FILES = 20;
/** Deeper than any output that a person writes. */
const MAX_DEPTH = 8;

/** The address as it is when a browser may follow it: of this or another site, and no script. */
function safeAddress(address: string, base: string): URL | undefined {
  const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

/** A file of the Drive, as nodes put it into their output. Only pictures of this site are shown. */
function toOutputFile(value: object, base: string): OutputFile | undefined {
  const { download_url, filename, mime_type } = value as Record<string, unknown>;
  const url = typeof download_url === 'string' ? safeAddress(download_url, base) : undefined;
  if (!url) return undefined;
  const isPicture = typeof mime_type === 'string' && /^image\/(png|jpeg|gif|webp|avif)$/.test(mime_type);
  return {
    name: typeof filename === 'string' && filename !== '' ? filename : url.pathname,
    href: url.href,
    isImage: isPicture && url.origin === new URL(base).origin,
  };
}

/**
 * The picture of an answer that has it twice: in itself and as a file of the Drive, which may be gone by now or count its
 * downloads. It is shown from the answer, under the name of the file.
 */
function imageFileIn(value: object, base: string): OutputFile | undefined {
  const { image, file } = value as Record<string, unknown>;
  if (typeof image !== 'string' || !isImageAddress(image) || typeof file !== 'object' || !file)
    return undefined;
  const stored = toOutputFile(file, base);
  return stored && { name: stored.name, href: image, isImage: true };
}

/**
 * Files and pictures anywhere in an output, each once.
 *
 * @param base address of this page
 * @param shown picture that is shown elsewhere, and only offered to save here
 */
export function filesIn(value: unknown, base: string, shown?: string): OutputFile[] {
  const found = new Map<string, OutputFile>();
  const look = (item: unknown, name: string, depth: number): void => {
    if (found.size >= MAX_FILES || depth > MAX_DEPTH) return;
    if (typeof item === 'string') {
      if (isImageAddress(item)) found.set(item, { name, href: item, isImage: true });
      return;
    }
    if (typeof item !== 'object' || item === null) return;
    const file = toOutputFile(item, base);
    if (file) found.set(file.href, file);
    const imageFile = imageFileIn(item, base);
    if (imageFile) found.set(imageFile.href, imageFile);
    for (const [key, inner] of Object.entries(item)) {
      if (!imageFile || (key !== 'image' && key !== 'file')) look(inner, key, depth + 1);
    }
  };
  look(value, '', 0);
  return [...found.values()].map((file) => (file.href === shown ? { ...file, isImage: false } : file));
}
