/**
 * How well words match a text, higher is better; undefined when they do not. Every word must occur; a match at the
 * start of the text or of a word counts more than one in the middle.
 */
export function matchScore(text: string, words: string): number | undefined {
  const lower = text.toLowerCase();
  let score = 0;
  for (const word of words.toLowerCase().split(/\s+/)) {
    if (word === '') continue;
    const at = lower.indexOf(word);
    if (at < 0) return undefined;
    if (at === 0) score += 4;
    else if (/[\s\-_/.(]/.test(lower.charAt(at - 1))) score += 2;
    else score += 1;
    if (word.length === lower.length) score += 4;
  }
  return score;
}

/** The items that match, best first; earlier texts of an item weigh more. Without words all items in their order. */
export function bestMatches<T>(
  items: readonly T[],
  words: string,
  getTexts: (item: T) => readonly string[],
): T[] {
  if (words.trim() === '') return [...items];
  const scored: { item: T; score: number }[] = [];
  for (const item of items) {
    let best: number | undefined;
    for (const [index, text] of getTexts(item).entries()) {
      const score = matchScore(text, words);
      if (score !== undefined) best = Math.max(best ?? 0, score / (index + 1));
    }
    if (best !== undefined) scored.push({ item, score: best });
  }
  return scored.sort((a, b) => b.score - a.score).map(({ item }) => item);
}
