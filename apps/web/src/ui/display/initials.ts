/** Two letters for a name: of its first and last word, or the first two of a single word. */
export function initials(name: string): string {
  const words = name
    .trim()
    .split(/[\s@._-]+/)
    .filter((word) => word !== '');
  const first = words[0] ?? '?';
  const last = words.length > 1 ? (words.at(-1) ?? '') : '';
  const [head, next] = Array.from(first);
  const letters = [head, last === '' ? next : Array.from(last)[0]];
  return letters.join('').toUpperCase();
}
