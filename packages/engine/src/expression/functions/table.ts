import { spend } from '../evaluate/context.ts';
import { convertFunctions } from './convert.ts';
import { type FunctionDefinition, indexByName } from './definition.ts';
import { numberFunctions } from './number.ts';
import { scriptFunctions } from './script.ts';
import { scriptNumberFunctions } from './script-number.ts';
import { scriptTextFunctions } from './script-text.ts';
import { textFunctions } from './text.ts';

const listFunctions: Readonly<Record<string, FunctionDefinition>> = {
  notNull: {
    signature: 'notNull(list)',
    doc: 'Elements that are not null.',
    example: '$notNull($input.gaps)',
    call: (context, [list]) => {
      if (!Array.isArray(list)) return null;
      spend(context, list.length);
      return list.filter((item) => item !== null && item !== undefined);
    },
  },
};

/** Every function of the language by its main name. */
export const functions: Readonly<Record<string, FunctionDefinition>> = {
  ...convertFunctions,
  ...numberFunctions,
  ...textFunctions,
  ...listFunctions,
  ...scriptFunctions,
  ...scriptNumberFunctions,
  ...scriptTextFunctions,
};

const byName = indexByName(functions);

export function functionNamed(name: string): FunctionDefinition | undefined {
  return byName.get(name);
}
