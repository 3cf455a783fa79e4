/** Longest chain that is looked at: a cause may name itself. */
const LONGEST = 8;

/** An error, its cause, the cause of that, and so on: drivers and query builders put errors inside their own. */
export function* walkCauses(error: unknown): Generator<Error> {
  for (let at = error, depth = 0; at instanceof Error && depth < LONGEST; at = at.cause, depth++) yield at;
}
