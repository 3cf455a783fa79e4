/** Lengths in characters; the overlap is counted in the length of the chunk that begins with it. */
export interface ChunkSizes {
  readonly size: number;
  readonly overlap: number;
}

/** As long as a few paragraphs, which models of vectors describe best. */
export const USUAL_SIZES: ChunkSizes = { size: 1_000, overlap: 200 };

/** Where a text is cut if it must be, the best place first. */
const SEAMS = ['\n\n', '\n', '. ', ' ', ''];

/**
 * Cuts a text into pieces that are short enough for one vector: at headings, then between paragraphs, lines, sentences and
 * words. Each piece after a cut inside a section begins with the end of the one before, so that nothing is torn from what
 * it belongs to, and under the headings above it.
 */
export function chunkText(text: string, sizes: ChunkSizes = USUAL_SIZES): string[] {
  return splitSections(text.replaceAll('\r\n', '\n').replaceAll('\0', '')).flatMap(({ trail, body }) => {
    const head = trail.join('\n').slice(0, sizes.size / 2);
    const room = { ...sizes, size: sizes.size - (head === '' ? 0 : head.length + 1) };
    const pieces = splitIntoPieces(body.trim(), room);
    return pieces.map((piece) => (head === '' ? piece : `${head}\n${piece}`));
  });
}

interface Section {
  /** The headings above it, outermost first. */
  readonly trail: readonly string[];
  readonly body: string;
}

/** Parts of a text in Markdown by its headings, outside of fenced code. A text without headings is one part. */
function splitSections(text: string): Section[] {
  const sections: Section[] = [];
  let trail: string[] = [];
  let lines: string[] = [];
  let isCode = false;
  const close = () => {
    const body = lines.join('\n');
    if (body.trim() !== '') sections.push({ trail, body });
    lines = [];
  };
  for (const line of text.split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    const level = isCode ? undefined : /^(#{1,6})\s+\S/.exec(line)?.[1]?.length;
    if (level === undefined) {
      lines.push(line);
      continue;
    }
    close();
    trail = [...trail.filter((heading) => (/^#+/.exec(heading)?.[0].length ?? 0) < level), line.trim()];
  }
  close();
  return sections;
}

function splitIntoPieces(text: string, sizes: ChunkSizes): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const part of splitText(text, sizes.size - sizes.overlap)) {
    if (piece !== '' && piece.length + part.length > sizes.size) {
      pieces.push(piece.trim());
      piece = takeTail(piece, sizes.overlap);
    }
    piece += part;
  }
  if (piece.trim() !== '') pieces.push(piece.trim());
  return pieces;
}

/** The text in parts of at most that length, each with the seam behind it, so that joined they are the text again. */
function splitText(text: string, most: number, [seam = '', ...finer] = SEAMS): string[] {
  if (text.length <= most) return [text];
  if (seam === '') return hardCut(text, most);
  const parts = text.split(seam);
  return parts.flatMap((part, at) => splitText(at < parts.length - 1 ? part + seam : part, most, finer));
}

/** Never between the halves of a character. */
function hardCut(text: string, most: number): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = Math.min(start + most, text.length);
    const isTorn = end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1)) && end - 1 > start;
    parts.push(text.slice(start, isTorn ? end - 1 : end));
    start = isTorn ? end - 1 : end;
  }
  return parts;
}

/** The last characters, from the begin of a word on. */
function takeTail(text: string, most: number): string {
  const end = text.slice(Math.max(text.length - most, 0));
  const space = end.search(/\s/);
  return space < 0 ? '' : end.slice(space + 1);
}
