import { access, type Code, chain, enclosed, other, Untranslatable } from './value.ts';

/** One step of a query: a name, a name in quotes, the place of an element, or all elements. */
const STEP = /\.?(?:([A-Za-z_]\w*)|"([^"\\]+)")|\[(-?\d+|\*)?\]/y;

interface Step {
  readonly code: string;
  /** The rest of the query is asked of each element. */
  readonly isEach: boolean;
}

function parseSteps(query: string): Step[] {
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < query.length) {
    const [step, name, quoted, place] = STEP.exec(query) ?? [];
    const key = name ?? quoted;
    if (step === undefined || (steps.length === 0 && step.startsWith('.')))
      throw new Untranslatable('only names and places of JMESPath have an equal here');
    // Here it would be the length of a list or text.
    if (key === 'length') throw new Untranslatable('length in JMESPath has no equal here');
    if (key !== undefined) steps.push({ code: access(key), isEach: false });
    else if (place === '*') steps.push({ code: '', isEach: true });
    else if (place === undefined) throw new Untranslatable('[] of JMESPath has no equal here');
    else steps.push({ code: `[${place}]`, isEach: false });
  }
  return steps;
}

/** Items of n8n have their data in `json`, and are that data here. */
function withoutJson(steps: readonly Step[], { value }: Code): readonly Step[] {
  if (value !== 'items' && value !== 'item') return steps;
  const at = value === 'items' ? 1 : 0;
  if (steps[at]?.code !== '.json') throw new Untranslatable('a query of items has to read their json');
  return steps.toSpliced(at, 1);
}

/**
 * The result of a JMESPath query in a value, for queries of names, places and one `[*]`; filters, functions and the
 * like have no equal. Source: the specification of JMESPath.
 */
export function queried(value: Code, query: string | undefined): Code {
  if (query === undefined) throw new Untranslatable('a query must be a fixed text');
  const steps = withoutJson(parseSteps(query), value);
  const each = steps.findIndex(({ isEach }) => isEach);
  const [before, after] = each < 0 ? [steps, []] : [steps.slice(0, each), steps.slice(each + 1)];
  if (after.some(({ isEach }) => isEach)) throw new Untranslatable('a second [*] has no equal here');
  const make = value.form === 'chain' ? chain : other;
  const found = `${enclosed(value)}${before.map(({ code }) => code).join('')}`;
  if (each < 0) return make(found);
  const rest = after.map(({ code }) => code).join('');
  // Elements without the value are left out, as JMESPath does.
  return make(`${found}.map(${JSON.stringify(`item${rest}`)}).filter("item != null")`);
}
