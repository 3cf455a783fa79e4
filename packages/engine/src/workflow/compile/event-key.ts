import { compile } from '../../expression/index.ts';
import type { FieldMeta } from '../../node-type/fields.ts';

/** Names that can be read when an event arrives: there is no run yet, so no other node and no variable. */
const READABLE = new Set(['input', 'now']);

/**
 * Why the text of an `event_key` field, or the `concurrency_key` of a workflow, is refused, in words that follow its name; undefined for text that can be used or is
 * empty. A text that is the same for every event must be refused: of an event key, all but the first would start no run. One that is
 * not a single expression is read as text, in which a missing value stays as it is written.
 */
export function eventKeyProblem(
  text: string,
  { placeholder = '$input' }: Pick<FieldMeta, 'placeholder'> = {},
): string | undefined {
  if (text === '') return undefined;
  const { problems, keepsType, references } = compile(text, 'raw');
  const names = references.map(({ name }) => name);
  const isUsable =
    problems.length === 0 &&
    keepsType &&
    names.includes('input') &&
    names.every((name) => READABLE.has(name));
  return isUsable ? undefined : `must be one expression that reads only $input, such as ${placeholder}`;
}
