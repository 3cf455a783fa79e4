/** Long names are compared by their beginnings; a difference that begins later is not a typing mistake. */
const COMPARED = 60;

/** The candidate that was probably meant, or null when none is close. Case does not count as a difference. */
export function nearest(name: string, candidates: readonly string[]): string | null {
  const wanted = name.toLowerCase().slice(0, COMPARED);
  // A third of a name may be mistyped, but not so much that short names are all alike.
  const most = Math.min(3, Math.floor(wanted.length / 3));
  let best: string | null = null;
  let bestDistance = most + 1;
  for (const candidate of candidates) {
    const other = candidate.toLowerCase().slice(0, COMPARED);
    if (Math.abs(other.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, other);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** Insertions, deletions, replacements, and neighbours that swapped places (optimal string alignment). */
function editDistance(one: string, two: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: two.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= two.length; column++) {
      const isSame = one[row - 1] === two[column - 1];
      const replaced = (previous[column - 1] ?? 0) + (isSame ? 0 : 1);
      let least = Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      const isSwap = one[row - 1] === two[column - 2] && one[row - 2] === two[column - 1];
      if (row > 1 && column > 1 && isSwap) least = Math.min(least, (before[column - 2] ?? 0) + 1);
      current.push(least);
    }
    before = previous;
    previous = current;
  }
  return previous[two.length] ?? 0;
}
