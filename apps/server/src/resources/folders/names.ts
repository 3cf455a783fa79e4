const LONGEST = 100;
/** Names that Windows keeps for devices, with or without an extension. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** True for characters that no file system takes, or that end or hide a name: controls, separators, direction marks. */
function isUnsafe(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  if ((code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e)) return true;
  if (code === 0xfeff || (code >= 0xd800 && code <= 0xdfff)) return true;
  return '/\\:*?"<>|'.includes(character);
}

/** A name that is one harmless path segment on every system, as close to the given one as that allows. */
export function safeSegment(name: string): string {
  const cleaned = Array.from(name, (character) => (isUnsafe(character) ? '_' : character)).join('');
  const cut = Array.from(cleaned).slice(0, LONGEST).join('');
  const trimmed = cut.trim().replace(/[. ]+$/, '');
  if (trimmed === '' || /^\.+$/.test(trimmed)) return '_';
  return DEVICES.test(trimmed) ? `_${trimmed}` : trimmed;
}

/** Hands out each name once per folder; names that differ only by case count as the same. */
export function createNamer(): (parent: string, name: string, extension?: string) => string {
  const taken = new Set<string>();
  return (parent, name, extension = '') => {
    const base = safeSegment(name);
    for (let copy = 1; ; copy++) {
      const candidate = `${parent}${base}${copy === 1 ? '' : ` (${copy})`}${extension}`;
      const key = candidate.toLowerCase();
      if (taken.has(key)) continue;
      taken.add(key);
      return candidate;
    }
  };
}

/**
 * Why the path of an archive entry is refused; undefined when it is harmless. Paths only become names here, nothing is
 * written to a disk, but an archive that tries is not one of ours.
 */
export function pathProblem(path: string): string | undefined {
  if (path.includes('\0')) return 'holds a NUL character';
  if (path.includes('\\')) return 'holds a backslash';
  if (path.startsWith('/')) return 'is absolute';
  if (/^[a-z]:/i.test(path)) return 'starts with a drive';
  const segments = path.replace(/\/$/, '').split('/');
  if (segments.some((segment) => segment === '..' || segment === '.')) return 'leaves its folder';
  if (segments.some((segment) => segment.trim() === '')) return 'has an empty part';
  return undefined;
}
