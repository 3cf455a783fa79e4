import { isJsonObject, type Json } from '@millrace/engine';
import { QUICK_REPAIR_CHARACTERS } from '@millrace/models';
import type { QuickRules } from './kit/parsing/parsers.ts';
import type { NODE_PARSERS } from './parser-table.ts';

const countOccurrences = (text: string, part: string): number => text.split(part).length - 1;

/** YAML syntax for complex keys, whose nesting doubles the time per level. */
const YAML_NESTING = /[?[{*]/g;
const MOST_YAML_NESTING = 10;
/** Each can open a level within a line; further levels need that much indentation. */
const YAML_INDICATORS = /[-?:](?=\s|$)/g;
const MOST_YAML_INDICATORS = 8;
const MOST_INDENT = 40;

const isShallowYaml = (line: string): boolean =>
  line.search(/\S|$/) <= MOST_INDENT && (line.match(YAML_INDICATORS)?.length ?? 0) <= MOST_YAML_INDICATORS;

/** Starts of lists, quotes, emphasis and links, all of which can be nested. */
const MARKDOWN_BLOCKS = /^[\s>*+\-\d.)]*/;
const MARKDOWN_NESTING = /[*_~[]/g;
const MOST_MARKDOWN_NESTING = 60;

const isShallowMarkdown = (line: string): boolean =>
  (MARKDOWN_BLOCKS.exec(line)?.[0].length ?? 0) <= MOST_INDENT;

/** Recursive schemas take unbounded time, and `uniqueItems` takes quadratic time. */
const UNBOUNDED = /"\$(?:ref|dynamicRef|recursiveRef)"|"uniqueItems"/;
/** A pattern of a few characters can take milliseconds to compile. */
const SLOW_TO_COMPILE = /"pattern"/;
const MOST_CHARACTERS_OF_SCHEMA = 16_000;
const MOST_CHARACTERS_OF_JSON = 4_000;
/** In the worst case every value is compared with every part of the schema. */
const MOST_COMPARISONS = 400_000;
const MOST_DEPTH = 16;

const isQuickSchema = (schema: string): boolean =>
  schema.length <= MOST_CHARACTERS_OF_SCHEMA && !SLOW_TO_COMPILE.test(schema) && !schema.includes('\\');

/** Approximate JSON length of the value; infinite when it is too large or too deep. */
function estimateSize(value: Json, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  if (depth === MOST_DEPTH) return Number.POSITIVE_INFINITY;
  let size = 2;
  const add = (more: number): boolean => {
    size += more;
    return size <= MOST_CHARACTERS_OF_JSON;
  };
  const isSmall = isJsonObject(value)
    ? Object.keys(value).every((key) => add(key.length + 4 + estimateSize(value[key] ?? null, depth + 1)))
    : value.every((item) => add(1 + estimateSize(item, depth + 1)));
  return isSmall ? size : Number.POSITIVE_INFINITY;
}

/**
 * Documents that are parsed directly. The test searches for the worst of them: none takes more than 50 ms, and none needs
 * more than a third of the stack, because a regular expression that is compiled at the end of the stack ends the process.
 * XML has no rule for its depth: its reader keeps no level on the stack and stops at 200. Pages are never among them, because
 * the time of a selector has no bound.
 */
export const QUICK_RULES: QuickRules<typeof NODE_PARSERS> = {
  csv: (text, { delimiter }) =>
    text.length <= 6_000 && countOccurrences(text, delimiter) * countOccurrences(text, '\n') <= 40_000,
  yaml: (text) =>
    text.length <= 4_000 &&
    (text.match(YAML_NESTING)?.length ?? 0) <= MOST_YAML_NESTING &&
    text.split('\n').every(isShallowYaml),
  xml: (text) => text.length <= 16_000,
  markdown: (text) =>
    text.length <= 1_000 &&
    (text.match(MARKDOWN_NESTING)?.length ?? 0) <= MOST_MARKDOWN_NESTING &&
    text.split('\n').every(isShallowMarkdown),
  answer_problem: (answer, schema) =>
    isQuickSchema(schema) &&
    estimateSize(answer) * schema.length <= MOST_COMPARISONS &&
    !UNBOUNDED.test(schema),
  answer_schema: isQuickSchema,
  json: (text) => text.length <= 100_000,
  json_answer: (text, may_repair) => text.length <= (may_repair ? QUICK_REPAIR_CHARACTERS : 100_000),
  arguments: (input, schema) =>
    estimateSize(input) * estimateSize(schema) <= MOST_COMPARISONS && !UNBOUNDED.test(JSON.stringify(schema)),
};
