import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

export const consoleLog = defineNode({
  type: 'consoleLog',
  title: 'Console Log',
  family: 'flow',
  summary: 'Writes a line to the server log and passes its input on.',
  search_words: ['debug', 'print'],
  icon: 'terminal',
  params: z.object({
    logMessage: field.value('Message').default('$input'),
  }),
  initial: { logMessage: '$input' },
  output: z.looseObject({ logMessage: z.json() }),
});
