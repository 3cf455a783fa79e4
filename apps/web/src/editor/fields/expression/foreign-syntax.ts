/** References to data as n8n writes them; `$json` can be the label of a node here too. */
const NAMES =
  /\$node\[|\$\(\s*(['"])[^'"]*\1\s*\)\s*\.(?:item|first|last|all|params|context|isExecuted|itemMatching|pairedItem)\b/;
const BRACES = /\{\{[^{}]*\$[^{}]*\}\}/;
const JSON_NAME = /\$json\b/;

/** Dates of Luxon. `ddd` and `dddd` are names of days here too. */
const DATES =
  /\$[\w.()]+\.(?:plus|minus|toFormat|setZone)\(|\$DateTime\b|\.format\(\s*["'][^"']*(?:yyyy|(?<!d)dd(?!d))/;
const ARROW = /\$[^\s"'`]*\(\s*(?:\w+|\([\w\s,]*\))\s*=>/;

type ForeignSyntax = 'foreign_syntax' | 'foreign_dates' | 'foreign_arrow';

/** The text that says how to write here what is written as in n8n or JavaScript, which is read as plain text or finds nothing. */
export function findForeignSyntax(
  text: string,
  known: Readonly<Record<string, unknown>>,
): ForeignSyntax | undefined {
  if (BRACES.test(text) || NAMES.test(text)) return 'foreign_syntax';
  if (JSON_NAME.test(text) && !Object.hasOwn(known, 'json')) return 'foreign_syntax';
  if (DATES.test(text)) return 'foreign_dates';
  return ARROW.test(text) ? 'foreign_arrow' : undefined;
}
