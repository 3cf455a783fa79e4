import { pythonText } from '@millrace/engine';
import { implement } from '../implement.ts';
import { evaluated } from '../kit/values/mapped-object.ts';
import { switchNode } from './definition.ts';

export const runSwitch = implement(switchNode, ({ params }) => {
  const value = evaluated(params.expression);
  const spellings = listSpellings(value);
  const index = params.cases.findIndex((text) => spellings.includes(text));
  const branch = index < 0 ? 'default' : `case-${index}`;
  return { output: { branch, value }, ports: [branch] };
});

/** `True`, `None` and spaces in JSON come from exports; people write `true` and `null`, and JSON without spaces. */
function listSpellings(value: unknown): string[] {
  const text = pythonText(value);
  return typeof value === 'string' || typeof value === 'number' ? [text] : [text, JSON.stringify(value)];
}
