import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import {
  isDateField,
  isTemplate,
  marked,
  noting,
  splitTemplate,
  templateText,
  toCode,
  valueText,
} from '../expression/field.ts';
import { textHole, valueHole } from '../expression/json-hole.ts';
import { type Code, joined, type Names, textConstant, Untranslatable } from '../expression/value.ts';
import type { NodeReport } from '../report/report.ts';
import { jsonIn } from '../source/depth.ts';
import { Params } from '../source/params.ts';
import type { Part, SourceNode } from '../source/source.ts';
import type { Each, InputPlace, View } from '../views/views.ts';

/** Why a node cannot be converted; it is kept as it is. */
export class NotConvertible extends Error {}

/** Behind the label of a node that runs for each item of a list. */
export const LOOP = 'Loop';

/** A node that has no twin in n8n and belongs to the converted one. */
export interface Step {
  /** Behind the label of that node: `Kept` makes `filterKept`. */
  readonly suffix: string;
  readonly type: string;
  readonly data: JsonObject;
}

export interface Converted {
  readonly type: string;
  readonly data: JsonObject;
  /** It does for each item of a list what n8n does for each. */
  readonly isForAll?: boolean;
  /** Runs before it, in this order, in its place at the connections that lead to it. */
  readonly before?: readonly Step[];
  /** Hands on one empty item where it has none, when n8n is set to. */
  readonly fillsNone?: boolean;
  /** Nodes beside it for its outputs from the second on, when each output has a node whose "true" leads on. */
  readonly beside?: readonly Step[];
  /** Runs after it, in this order, in its place at the connections that lead from it. */
  readonly after?: readonly Step[];
  /** The loop around it, for a node that n8n runs for each item of a list. */
  readonly loop?: Step;
}

/** Everything besides the node that a view may depend on. */
export interface ViewContext {
  readonly parts: readonly Part[];
  /** Code of a parameter, as expressions of the node read it; undefined when it cannot be translated. */
  code(stored: Json | undefined): string | undefined;
  /** True when the node before hands on a list. */
  getsList(): boolean;
  /** Code of that list; undefined when there is none. */
  list(): string | undefined;
  /** The data of one input alone; undefined when no single node has all of it. */
  input(index: number): InputPlace | undefined;
  /** The view of the data that the node hands on and that leads back to this loop; undefined when there are several. */
  rounds(): View | undefined;
  /** The label of a node that is added to it. */
  stepLabel(suffix: string): string;
  /** True for a node that n8n gives only the first item, although expressions on it read all. */
  readonly isForFirst: boolean;
  /** True when the output of that name leads on. */
  leadsOn(output: string): boolean;
  /** Code of a parameter for one `item` of that list, or as `each` names it; undefined when it cannot be written for one. */
  each(stored: Json | undefined, each?: Each): string | undefined;
}

/** How nodes of one type of n8n become nodes here. */
export interface Kind {
  convert(node: SourceNode, to: Target): Converted;
  /** Without one, the output is the first item. */
  view?(node: SourceNode, output: number, context: ViewContext): View;
  /** Name of an output here; undefined for the usual one, null for one that n8n never takes. */
  output?(node: SourceNode, index: number): string | null | undefined;
  /** Name of an input here; undefined for the usual one. */
  input?(node: SourceNode, index: number): string | undefined;
  /** Takes the whole list of items, so that n8n runs it once too. */
  readonly takesList?: boolean | ((node: SourceNode) => boolean);
  /** n8n runs it once for a list as well, with its first item or none. */
  readonly runsOnce?: boolean | ((node: SourceNode) => boolean);
  /** It is in a loop of its own, which `convert` makes: its view is that of one round. */
  readonly hasLoop?: (node: SourceNode) => boolean;
  /** Makes nothing of no items, so that it may run where n8n does not run it. */
  readonly staysEmpty?: boolean | ((node: SourceNode) => boolean);
  /** Connections of parts whose settings it has here, such as `ai_languageModel`. */
  readonly takes?: readonly string[];
}

/** Reads parameters of one node, translates their expressions, and reports what is lost. */
export class Target {
  readonly params: Params;
  readonly #names: Names;
  readonly #report: NodeReport;
  #read: ((stored: Json | undefined) => string) | undefined;
  #isStrict = false;
  /** Nodes follow. */
  readonly hasNext: boolean;
  readonly parts: readonly Part[];
  /** Fields that the agent fills in whose tool the node is. */
  readonly given: Set<string>;
  /** The label of a node that is added to it. */
  readonly stepLabel: (suffix: string) => string;
  readonly context: ViewContext;
  /** Values that an agent fills in come from the caller of the workflow here. */
  readonly isOffered: boolean;

  constructor({ params, names, report, hasNext, parts, given, stepLabel, context, isOffered }: Needs) {
    this.params = params;
    this.#names = names;
    this.#report = report;
    this.hasNext = hasNext;
    this.parts = parts;
    this.given = given;
    this.stepLabel = stepLabel;
    this.context = context;
    this.isOffered = isOffered;
  }

  #needs(): Needs {
    const { params, hasNext, parts, given, stepLabel, context, isOffered } = this;
    return {
      params,
      names: this.#names,
      report: this.#report,
      hasNext,
      parts,
      given,
      stepLabel,
      context,
      isOffered,
    };
  }

  say(message: string, field?: string): void {
    this.#report.say(message, field);
  }

  /** For a node that is converted as if it had other parameters. */
  with(parameters: JsonObject): Target {
    return new Target({ ...this.#needs(), params: new Params(parameters) });
  }

  /** The same parameters, read in another way. */
  reading(read: (stored: Json | undefined) => string): Target {
    const other = new Target(this.#needs());
    other.#read = read;
    return other;
  }

  /** Keeps no expression as it is: one that cannot be translated throws `Untranslatable`. */
  strict(): Target {
    const other = new Target(this.#needs());
    other.#isStrict = true;
    return other;
  }

  /** The value that the agent fills in under that name, as code without `$`. */
  fromAgent(name: string): string {
    return this.#names.fromAgent(name);
  }

  /** Text with references, for a field of the given name. */
  template(text: string, field: string, spell?: (code: string) => string): string {
    if (spell === undefined && this.isFromAgent(text)) {
      this.given.add(field);
      return '';
    }
    return this.#translated(text, field, () => templateText(text, this.#names, spell));
  }

  /** True for a field that the agent fills in as a whole. */
  isFromAgent(text: string): boolean {
    return !this.isOffered && FROM_AGENT.test(text);
  }

  /** A value that keeps its type. */
  value(stored: Json | undefined, field: string, become?: (code: Code) => Code): Json {
    if (typeof stored !== 'string') return stored ?? '';
    return this.#translated(stored, field, () => valueText(stored, this.#names, become));
  }

  /** A value that is put together of others; undefined when one of them cannot be translated. */
  made(make: () => Code | undefined): string | undefined {
    try {
      const { made, mayMiss } = noting(this.#names, make);
      return made && marked(made, mayMiss);
    } catch (error) {
      if (error instanceof Untranslatable) return undefined;
      throw error;
    }
  }

  /** The number of a parameter, or its expression, for a field that keeps types. */
  number(path: string, usual: number, field: string): Json {
    const text = this.params.text(path);
    return isTemplate(text) ? this.value(text, field) : this.params.number(path, usual);
  }

  /** Code without `$`, for parts of a larger expression. Throws `Untranslatable`. */
  code(stored: Json | undefined): Code {
    if (this.#read !== undefined) return { form: 'other', code: this.#read(stored) };
    if (typeof stored === 'string') return toCode(stored, this.#names);
    return { form: 'constant', code: JSON.stringify(stored ?? null) };
  }

  /** True for a parameter whose value is a date, not a text of one. */
  isDate(stored: Json | undefined): boolean {
    return typeof stored === 'string' && isDateField(stored, this.#names);
  }

  /** Code of a field of the data that the node gets, without `$`. */
  field(key: string): string {
    return this.#names.field(null, key, 'current');
  }

  /** The list that a node works on. */
  list(): string {
    return this.#translated('', 'items', () => marked({ form: 'chain', code: this.listCode() }));
  }

  /** The list that a node works on, as code without `$`. Throws `Untranslatable`. */
  listCode(): string {
    const code = this.#names.items(null);
    return this.context.isForFirst ? `${code}.take(1)` : code;
  }

  /** All items of another node. Throws `Untranslatable`. */
  listItems(node: string): string {
    return marked({ form: 'chain', code: this.#names.items(node) });
  }

  /** The data that the node gets, as one value. */
  whole(field: string): string {
    return this.#translated('={{ $json }}', field, () =>
      marked({ form: 'chain', code: this.#names.whole(null) }),
    );
  }

  /** A list of values: fixed texts, and texts with expressions behind "=". */
  values(texts: readonly string[], field: string): string {
    return this.#translated(texts.join(', '), field, () => {
      if (!texts.some(isTemplate)) return JSON.stringify(texts);
      const { made: codes, mayMiss } = noting(this.#names, () =>
        texts.map((text) => toCode(text, this.#names).code),
      );
      // One expression may be the list itself.
      const [only = ''] = codes;
      const isList = codes.length === 1 && only.startsWith('[');
      return marked({ form: 'other', code: isList ? only : `[${codes.join(', ')}]` }, mayMiss);
    });
  }

  /** JSON text with expressions inside as one value: a text for fields that keep types. */
  json(text: string, field: string): string {
    return this.#translated(text, field, () => {
      if (/^=\s*\{\{[^]*\}\}\s*$/.test(text)) {
        const { made, mayMiss } = noting(this.#names, () => toCode(`=${text.slice(1).trim()}`, this.#names));
        if (made.value !== 'text') return marked(made, mayMiss);
      }
      return jsonText(text, this.#names);
    });
  }

  /** JSON text of an object as names and values; undefined when it is none, or one expression as a whole. */
  jsonFields(text: string): JsonObject[] | undefined {
    try {
      const { made, mayMiss } = noting(this.#names, () => jsonTree(text, this.#names));
      const { value, codes } = made;
      if (!isJsonObject(value)) return undefined;
      return Object.entries(value).map(([key, item]) => {
        const code = builtFrom(item, codes);
        return {
          key,
          value: typeof item !== 'string' && code.form === 'constant' ? item : marked(code, mayMiss),
        };
      });
    } catch (error) {
      if (error instanceof Untranslatable) return undefined;
      throw error;
    }
  }

  #translated(original: string, field: string, translate: () => string): string {
    try {
      return translate();
    } catch (error) {
      if (this.#isStrict || !(error instanceof Untranslatable)) throw error;
      this.say(
        `The expression cannot be translated, because ${error.message}. It was kept as it is: ${original}`,
        field,
      );
      return original;
    }
  }
}

/** A field that the agent fills in as a whole. */
const FROM_AGENT = /^=\s*\{\{\s*(\/\*[^]*?\*\/)?\s*\$fromAI\s*\((?:(?!\}\})[^])*\)\s*\}\}\s*$/i;

interface Needs {
  readonly params: Params;
  readonly names: Names;
  readonly report: NodeReport;
  readonly hasNext: boolean;
  readonly parts: readonly Part[];
  readonly given: Set<string>;
  readonly stepLabel: (suffix: string) => string;
  readonly context: ViewContext;
  readonly isOffered: boolean;
}

/** The place of an expression in JSON text: as a whole value, or inside a text. */
const VALUE = '\uE000';
const IN_TEXT = '\uE001';
const HOLES = /[\uE000\uE001](\d+)[\uE000\uE001]/;

/** `{"a": "{{ x }}", "b": {{ y }}}` as an expression that builds the object. */
function jsonText(text: string, names: Names): string {
  if (!isTemplate(text) && !/\$[A-Za-z]/.test(text)) return text;
  const { made, mayMiss } = noting(names, () => {
    const { value, codes } = jsonTree(text, names);
    return builtFrom(value, codes);
  });
  return marked(made, mayMiss);
}

/** JSON text with a hole for each of its expressions. */
function jsonTree(text: string, names: Names): { value: Json; codes: Code[] } {
  if (!isTemplate(text)) return { value: parsed(text), codes: [] };
  const codes: Code[] = [];
  let template = '';
  let isInText = false;
  for (const piece of splitTemplate(text.slice(1), names)) {
    if ('text' in piece) {
      template += piece.text;
      const quotes = piece.text.replaceAll(/\\./g, '').split('"').length - 1;
      if (quotes % 2 === 1) isInText = !isInText;
      continue;
    }
    const index = codes.push((isInText ? textHole : valueHole)(piece.script, names)) - 1;
    template += isInText ? `${IN_TEXT}${index}${IN_TEXT}` : `"${VALUE}${index}${VALUE}"`;
  }
  return { value: parsed(template), codes };
}

function parsed(text: string): Json {
  try {
    return jsonIn(text);
  } catch {
    throw new Untranslatable('it is not JSON');
  }
}

function builtFrom(value: Json, codes: readonly Code[]): Code {
  if (typeof value === 'string') return filled(value, codes);
  if (Array.isArray(value)) {
    return { form: 'other', code: `[${value.map((item) => builtFrom(item, codes).code).join(', ')}]` };
  }
  if (typeof value !== 'object' || value === null) return { form: 'constant', code: JSON.stringify(value) };
  const entries = Object.entries(value).map(
    ([key, item]) => `${filled(key, codes).code}: ${builtFrom(item, codes).code}`,
  );
  return { form: 'other', code: `{${entries.join(', ')}}` };
}

function filled(text: string, codes: readonly Code[]): Code {
  const parts = text.split(HOLES);
  if (parts.length === 1) return textConstant(text);
  const pieces = parts.flatMap((part, index): Code[] => {
    if (index % 2 === 0) return part === '' ? [] : [textConstant(part)];
    const code = codes[Number(part)];
    return code === undefined ? [] : [code];
  });
  const [only] = pieces;
  return text.startsWith(VALUE) && pieces.length === 1 && only !== undefined ? only : joined(pieces);
}
