const APPLE: Record<string, string> = { mod: '⌘', shift: '⇧', alt: '⌥', enter: '↵', escape: 'Esc' };
const OTHER: Record<string, string> = {
  mod: 'Ctrl',
  shift: 'Shift',
  alt: 'Alt',
  enter: 'Enter',
  escape: 'Esc',
};

/** The caps of a shortcut in tinykeys notation: `$mod+Shift+Enter` or the sequence `g r`. */
export function keySymbols(keys: string, apple: boolean): string[] {
  const names = apple ? APPLE : OTHER;
  return keys
    .split(/[+\s]+/)
    .filter((key) => key !== '')
    .map((key) => {
      const plain = key.replace(/^\$|^Digit/, '').toLowerCase();
      return names[plain] ?? (plain.length === 1 ? plain.toUpperCase() : key);
    });
}
