/** References to data as n8n writes them; `$json` can be the label of a node here too. */
const NAMES =
  /\$node\[|\$\(\s*(['"])[^'"]*\1\s*\)\s*\.(?:item|first|last|all|params|context|isExecuted|itemMatching|pairedItem)\b/;
const BRACES = /\{\{[^{}]*\$[^{}]*\}\}/;
const JSON_NAME = /\$json\b/;

/** Dates of Luxon. `ddd` and `dddd` are names of days here too. */
const DATES =
  /\$[\w.()]+\.(?:plus|minus|toFormat|setZone)\(|\$DateTime\b|\.format\(\s*["'][^"']*(?:yyyy|(?<!d)dd(?!d))/;
const ARROW = /\$[^\s"'`]*\(\s*(?:\w+|\([\w\s,]*\))\s*=>/;
/** Needs a value on both sides, for a text may have a line of `=` beside a reference. */
const STRICT_EQUALITY = [
  /\$(?:"[^"]*"|'[^']*'|[^\s"'`=!])+\s*[!=]==\s*[^\s=]/,
  /(?:["'\d]|\b(?:true|false|null))\s*[!=]==\s*\$\w/,
  /\$\S*\(\s*(["'])item\b[^"']*[^\s"'=!]\s*[!=]==\s*(?!\1)[^\s=]/,
];

type ForeignSyntax = 'foreign_syntax' | 'foreign_dates' | 'foreign_arrow' | 'foreign_equality';

/** The text that says how to write here what is written as in n8n or JavaScript, which is read as plain text or finds nothing. */
export function findForeignSyntax(
  text: string,
  known: Readonly<Record<string, unknown>>,
): ForeignSyntax | undefined {
  if (BRACES.test(text) || NAMES.test(text)) return 'foreign_syntax';
  if (JSON_NAME.test(text) && !Object.hasOwn(known, 'json')) return 'foreign_syntax';
  if (DATES.test(text)) return 'foreign_dates';
  if (ARROW.test(text)) return 'foreign_arrow';
  return STRICT_EQUALITY.some((pattern) => pattern.test(text)) ? 'foreign_equality' : undefined;
}
