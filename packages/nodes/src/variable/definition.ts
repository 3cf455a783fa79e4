import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

export const VARIABLE_TYPES = ['auto', 'string', 'number', 'boolean', 'array', 'object'] as const;

export const variable = defineNode({
  type: 'variable',
  title: 'Variable',
  family: 'data',
  summary: 'Keeps a value as $vars.<name> for all later nodes.',
  search_words: ['remember', 'assign', 'counter'],
  icon: 'variable',
  params: z.object({
    variableName: field
      .text('Name')
      .min(1, { error: 'must not be empty' })
      .max(255, { error: 'must have at most 255 characters' })
      .default('variable'),
    variableValue: field.value('Value').default(''),
    variableType: field.choice('Type', VARIABLE_TYPES).default('auto'),
    isGlobal: field
      .boolean('Global', { help: 'Also stored as $global.<name> for later runs of all your workflows.' })
      .default(false),
  }),
  initial: {
    variableName: 'myVariable',
    variableValue: '$input.text',
    variableType: 'auto',
    isGlobal: false,
  },
  output: z.object({ name: z.string(), value: z.json(), type: z.string() }),
});
