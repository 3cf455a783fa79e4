import { access, type Code, chain, enclosed, numeric, other, Untranslatable } from './value.ts';

/** Words and signs of a query. Source: the specification of JMESPath. */
const TOKEN =
  /\s*(?:([A-Za-z_]\w*)|"([^"\\]+)"|`([^`\\]*)`|'([^'\\]*)'|(-?\d+)|(\[\?|[=!<>]=|&&|\|\||[[\]{}().,:*|@<>!&]))/y;

interface Token {
  readonly kind: 'literal' | 'name' | 'number' | 'sign';
  readonly text: string;
}

function readTokens(query: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (query.slice(TOKEN.lastIndex).trim() !== '') {
    const [found, name, quoted, json, text, number, sign] = TOKEN.exec(query) ?? [];
    if (found === undefined) throw new Untranslatable('this query of JMESPath has no equal here');
    if (json !== undefined) tokens.push({ kind: 'literal', text: readLiteral(json) });
    else if (text !== undefined) tokens.push({ kind: 'literal', text: JSON.stringify(text) });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
    else tokens.push({ kind: 'name', text: name ?? quoted ?? '' });
  }
  return tokens;
}

/** Between backticks stands JSON, or a text without its quotes. */
function readLiteral(json: string): string {
  let value: unknown = json;
  try {
    value = JSON.parse(json);
  } catch {
    // A text.
  }
  const code = JSON.stringify(value);
  if (/\$[A-Za-z]/.test(code)) throw new Untranslatable('a "$" in a query has no equal here');
  return code;
}

/** Code of a value, or of a list whose elements the rest of the query is asked of. */
interface Found {
  readonly code: string;
  /** Code that reads from each element. */
  readonly each?: string;
}

const COMPARED = new Set(['==', '!=', '<', '<=', '>', '>=']);

class Query {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(query: string) {
    this.#tokens = readTokens(query);
  }

  /** The whole query, asked of a value. */
  code(value: string): string {
    const found = this.#pipe(value);
    if (this.#at < this.#tokens.length) throw this.#unknown();
    return found;
  }

  #sign(text: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'sign' || token.text !== text) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#sign(text)) throw this.#unknown();
  }

  #take(kind: Token['kind']): string | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== kind) return undefined;
    this.#at++;
    return token.text;
  }

  #unknown(): Untranslatable {
    const { text = 'its end' } = this.#tokens[this.#at] ?? {};
    return new Untranslatable(`${text} in this query of JMESPath has no equal here`);
  }

  #pipe(value: string): string {
    if (++this.#depth > 20) throw new Untranslatable('the query of JMESPath is nested too deep');
    let code = this.#path(value);
    while (this.#sign('|')) code = this.#path(code);
    this.#depth--;
    return code;
  }

  /** Names, places and projections behind each other. */
  #path(value: string): string {
    let found: Found = { code: this.#start(value) };
    for (;;) {
      const next = this.#step(found);
      if (next === undefined) return whole(found);
      found = next;
    }
  }

  #start(value: string): string {
    const token = this.#tokens[this.#at];
    if (token?.kind === 'literal') throw this.#unknown();
    if (token?.kind === 'name') {
      this.#at++;
      return this.#sign('(') ? this.#call(token.text, value) : `${value}${key(token.text)}`;
    }
    if (token?.text === '{' || (token?.text === '[' && this.#startsList())) return this.#several(value);
    if (token?.text === '[' || token?.text === '[?') return value;
    if (this.#sign('@')) return value;
    throw this.#unknown();
  }

  /** `[a, b]`, which is no place and no projection. */
  #startsList(): boolean {
    const next = this.#tokens[this.#at + 1];
    return next?.kind === 'name' || next?.text === '@' || next?.text === '{';
  }

  #step(found: Found): Found | undefined {
    if (this.#sign('.')) {
      const name = this.#take('name');
      if (name !== undefined) return extended(found, (value) => `${value}${key(name)}`);
      return extended(found, (value) => this.#several(value));
    }
    if (this.#sign('[?')) {
      const test = this.#anyOf();
      this.#expect(']');
      return projected(found, (code) => `${code}.filter(${JSON.stringify(test)})`);
    }
    if (!this.#sign('[')) return undefined;
    const place = this.#take('number');
    if (place !== undefined) {
      this.#expect(']');
      return extended(found, (value) => `${value}[${place}]`);
    }
    if (this.#sign(']')) return { code: `${whole(found)}.flat()`, each: 'item' };
    this.#expect('*');
    this.#expect(']');
    return projected(found, (code) => code);
  }

  /** `{name: query, …}` and `[query, …]` of a value that is there. */
  #several(value: string): string {
    const isObject = this.#sign('{');
    if (!isObject) this.#expect('[');
    const end = isObject ? '}' : ']';
    const parts: string[] = [];
    do {
      const name = isObject ? this.#take('name') : '';
      if (name === undefined) throw this.#unknown();
      if (isObject) this.#expect(':');
      parts.push(`${isObject ? `${JSON.stringify(name)}: ` : ''}${this.#pipe(value)}`);
    } while (this.#sign(','));
    this.#expect(end);
    const made = isObject ? `{${parts.join(', ')}}` : `[${parts.join(', ')}]`;
    return `(${value} == null ? null : ${made})`;
  }

  #call(name: string, value: string): string {
    const codes = this.#arguments(value);
    const call = Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
    if (call === undefined || codes.length !== call.count)
      throw new Untranslatable(`${name}() of JMESPath has no equal here`);
    return call.make(codes[0] ?? '', codes[1] ?? '');
  }

  #arguments(value: string): string[] {
    const codes: string[] = [];
    do codes.push(this.#take('literal') ?? this.#pipe(value));
    while (this.#sign(','));
    this.#expect(')');
    return codes;
  }

  #anyOf(): string {
    if (++this.#depth > 20) throw new Untranslatable('the query of JMESPath is nested too deep');
    const tests = [this.#allOf()];
    while (this.#sign('||')) tests.push(this.#allOf());
    this.#depth--;
    return tests.join(' or ');
  }

  #allOf(): string {
    const tests = [this.#test()];
    while (this.#sign('&&')) tests.push(this.#test());
    return tests.join(' and ');
  }

  /** A negated test ends before a comparison. */
  #test(isNegated = false): string {
    if (this.#sign('!')) return `not ${this.#test(true)}`;
    if (this.#sign('(')) {
      const test = this.#anyOf();
      this.#expect(')');
      return `(${test})`;
    }
    const left = this.#operand();
    const sign = this.#tokens[this.#at];
    if (sign?.kind !== 'sign' || !COMPARED.has(sign.text)) {
      // 0 counts as something in JMESPath.
      return `(type(${left.code}) == "number" or ${left.code})`;
    }
    if (isNegated) throw this.#unknown();
    this.#at++;
    return comparedCode(left, sign.text, this.#operand());
  }

  #operand(): Code {
    const literal = this.#take('literal');
    if (literal === undefined) return chain(this.#path('item'));
    const isNumber = /^-?\d/.test(literal);
    return isNumber
      ? { form: 'constant', code: literal, value: 'number' }
      : { form: 'constant', code: literal };
  }
}

/** Functions of JMESPath, with how many arguments they have. */
const CALLS: Readonly<Record<string, { readonly count: number; readonly make: Make }>> = {
  length: { count: 1, make: (value) => `len(${value})` },
  sum: { count: 1, make: (list) => `sum(${list})` },
  keys: { count: 1, make: (object) => `pairs(${object}).map("item[0]")` },
  values: { count: 1, make: (object) => `pairs(${object}).map("item[1]")` },
  contains: { count: 2, make: (value, part) => `${value}.contains(${part})` },
  starts_with: { count: 2, make: (text, part) => `${text}.startsWith(${part})` },
  ends_with: { count: 2, make: (text, part) => `${text}.endsWith(${part})` },
  join: { count: 2, make: (glue, list) => `${list}.join(${glue})` },
};
type Make = (first: string, second: string) => string;

function key(name: string): string {
  // Here it would be the length of a list or text.
  if (name === 'length') throw new Untranslatable('length in JMESPath has no equal here');
  return access(name);
}

function extended(found: Found, read: (value: string) => string): Found {
  return found.each === undefined ? { code: read(found.code) } : { ...found, each: read(found.each) };
}

function projected(found: Found, elements: (code: string) => string): Found {
  if (found.each !== undefined) throw new Untranslatable('a second [*] has no equal here');
  return { code: elements(found.code), each: 'item' };
}

/** Elements without the value are left out, as JMESPath does. */
const whole = ({ code, each }: Found): string =>
  each === undefined ? code : `${code}.map(${JSON.stringify(each)}).filter("item != null")`;

/** Where JavaScript compares nothing with a number, it is 0. */
function comparedCode(left: Code, sign: string, right: Code): string {
  if (sign === '==' || sign === '!=') return `${left.code} ${sign} ${right.code}`;
  const [one, two] = [left, right].map((side) =>
    side.value === 'number' ? side.code : `(${side.code} == null ? 0 : ${numeric(side)})`,
  );
  if (left.value !== 'number' && right.value !== 'number')
    throw new Untranslatable('only numbers can be compared in JMESPath here');
  return `${one} ${sign} ${two}`;
}

/** Items of n8n have their data in `json`, and are that data here. */
function withoutJson(query: string, { value }: Code): string {
  if (value !== 'items' && value !== 'item') return query;
  const beginning = value === 'items' ? /^(\[(?:\*|-?\d+|)\])\.json(?![\w(])/ : /^()json(?![\w(])\.?/;
  const found = beginning.exec(query);
  if (found === null) throw new Untranslatable('a query of items has to read their json');
  return `${found[1] ?? ''}${query.slice(found[0].length)}` || '@';
}

/** The result of a JMESPath query in a value, for queries of what has an equal here. */
export function queried(value: Code, query: string | undefined): Code {
  if (query === undefined) throw new Untranslatable('a query must be a fixed text');
  const code = new Query(withoutJson(query, value)).code(enclosed(value));
  return value.form === 'chain' ? chain(code) : other(code);
}
