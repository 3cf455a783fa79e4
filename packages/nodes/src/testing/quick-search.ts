// Searches for the slowest small documents. Arguments: a kind and the number of attempts.
import { NODE_PARSERS } from '../parser-table.ts';
import { QUICK_RULES } from '../quick-rules.ts';
import { hostileDocument } from './documents/hostile-documents.ts';

type Args = readonly unknown[];
interface Tried {
  readonly args: Args;
  readonly ms: number;
}

const MOST_CHARACTERS = 20_000;
const KEPT = 8;
/** A document that took longer than it is read again: the collection of garbage is counted with the one that it comes to. */
const LONG_MS = 20;

const [kind = '', count = '100'] = process.argv.slice(2);
const parse = NODE_PARSERS[kind as keyof typeof NODE_PARSERS] as (...args: Args) => unknown;
const isQuick = QUICK_RULES[kind as keyof typeof QUICK_RULES] as (...args: Args) => boolean;

/** The longest prefix of the text that is still parsed directly. */
function quickPart([text, ...options]: Args): Args | undefined {
  if (typeof text !== 'string') return isQuick(text, ...options) ? [text, ...options] : undefined;
  let [fits, most] = [0, text.length];
  while (fits < most) {
    const middle = Math.ceil((fits + most) / 2);
    if (isQuick(text.slice(0, middle), ...options)) fits = middle;
    else most = middle - 1;
  }
  return fits === 0 ? undefined : [text.slice(0, fits), ...options];
}

async function measureTime(args: Args): Promise<number> {
  // CPU time, which other processes do not affect.
  const before = process.cpuUsage();
  try {
    await parse(...args);
  } catch (error) {
    if (error instanceof RangeError || /call stack/i.test(String(error))) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function measureLeastTime(args: Args): Promise<number> {
  let ms = await measureTime(args);
  for (let again = 0; again < 5 && ms > LONG_MS; again++) ms = Math.min(ms, await measureTime(args));
  return ms;
}

/** Mutates one of the worst: adds a part of another, or more of itself. */
function changed(worst: readonly Tried[], seed: number): Args | undefined {
  const [one, other] = [worst[seed % worst.length], worst[(seed * 7 + 3) % worst.length]];
  const [text, ...options] = one?.args ?? [];
  const [more] = other?.args ?? [];
  if (typeof text !== 'string' || typeof more !== 'string') return undefined;
  const at = (seed * 2_654_435_761) % (text.length + 1);
  const part = more.slice(0, 1 + ((seed * 40_503) % more.length));
  return [text.slice(0, at) + part + text.slice(at), ...options];
}

const worst: Tried[] = [];
let tried = 0;
for (let seed = 0; seed < Number(count); seed++) {
  const isChange = seed % 3 === 2 && worst.length === KEPT;
  const made = isChange ? changed(worst, seed) : undefined;
  const args = quickPart(made ?? hostileDocument(kind, { seed, most_characters: MOST_CHARACTERS }));
  if (!args) continue;
  // The first one loads the library.
  if (tried === 0) await measureTime(args);
  tried += 1;
  worst.push({ args, ms: await measureLeastTime(args) });
  worst.sort((one, other) => other.ms - one.ms).splice(KEPT);
}
process.stdout.write(
  JSON.stringify({ tried, worst_ms: worst[0]?.ms, worst: JSON.stringify(worst[0]?.args) }),
);
