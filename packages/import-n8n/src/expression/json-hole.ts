import { translate } from './translate.ts';
import { plainName, scriptTree, staticKey } from './tree.ts';
import { asText, type Code, chain, type Names } from './value.ts';

/** A script that stands for a whole value in JSON text: what it writes as JSON is that value. */
export const valueHole = (script: string, names: Names): Code =>
  translate(stringified(script) ?? script, names);

/** A script inside a text in JSON text: what it has escaped for that place is what it escapes. */
export function textHole(script: string, names: Names): Code {
  const code = translate(script, names);
  return ESCAPES.test(code.code) ? chain(`${asText(code)}.unescape()`) : code;
}

const ESCAPES = /toJsonText\(|\\\\/;

/** `x` of `JSON.stringify(x)` and of `x.toJsonString()`. */
function stringified(script: string): string | undefined {
  const tree = scriptTree(script);
  if (tree.type !== 'CallExpression') return undefined;
  const { callee } = tree;
  const [value] = tree.arguments;
  if (plainName(callee as typeof tree) === 'JSON.stringify' && value !== undefined)
    return sliceSource(script, value);
  if (callee.type !== 'MemberExpression' || staticKey(callee) !== 'toJsonString') return undefined;
  return value === undefined ? sliceSource(script, callee.object) : undefined;
}

/** True for a script that writes JSON itself. */
export const isStringified = (script: string): boolean => stringified(script) !== undefined;

const sliceSource = (
  script: string,
  { start, end }: { start?: number | null; end?: number | null },
): string => script.slice(start ?? 0, end ?? script.length);
