/** References to data as n8n writes them; `$json` can be the label of a node here too. */
const NAMES =
  /\$node\[|\$\(\s*(['"])[^'"]*\1\s*\)\s*\.(?:item|first|last|all|params|context|isExecuted|itemMatching|pairedItem)\b/;
const BRACES = /\{\{[^{}]*\$[^{}]*\}\}/;
const JSON_NAME = /\$json\b/;

/** Whether a text is an expression of n8n, which is read as plain text or finds nothing here. */
export function isForeignSyntax(text: string, known: Readonly<Record<string, unknown>>): boolean {
  if (BRACES.test(text) || NAMES.test(text)) return true;
  return JSON_NAME.test(text) && !Object.hasOwn(known, 'json');
}
