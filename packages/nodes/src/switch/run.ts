import { pythonText } from '@millrace/engine';
import { implement } from '../implement.ts';
import { evaluated } from '../shared/mapped-object.ts';
import { switchNode } from './definition.ts';

export const runSwitch = implement(switchNode, ({ params }) => {
  const value = evaluated(params.expression);
  const spellings = spellingsOf(value);
  const index = params.cases.findIndex((text) => spellings.includes(text));
  const branch = index < 0 ? 'default' : `case-${index}`;
  return { output: { branch, value }, ports: [branch] };
});

/** `True` and `None` come from exports, `true` and `null` are what people write. */
function spellingsOf(value: unknown): string[] {
  const text = pythonText(value);
  return typeof value === 'boolean' || value === null ? [text, String(value)] : [text];
}
