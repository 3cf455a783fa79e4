import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

export const textInput = defineNode({
  type: 'textInput',
  title: 'Text Input',
  family: 'trigger',
  summary: 'Starts the workflow with the body, headers and query of a call.',
  search_words: ['manual trigger', 'called by another workflow', 'sub-workflow trigger', 'form', 'start'],
  icon: 'text-cursor-input',
  traits: { role: 'trigger', error_settings: false },
  params: z.object({
    value: field
      .text('Text', { kind: 'multiline', help: 'Used when the run was started without inputs.' })
      .default(''),
    inputFields: field
      .custom(
        z.array(z.looseObject({ key: z.string(), defaultValue: z.json().optional() })),
        'Input fields',
        {
          kind: 'input_fields',
          help: 'Names that callers may send. A missing one gets its default value.',
        },
      )
      .default([]),
  }),
  initial: { value: '', inputFields: [{ key: 'text' }] },
  output: z.looseObject({
    headers: z.record(z.string(), z.json()).optional(),
    query: z.record(z.string(), z.json()).optional(),
    body: z.json().optional(),
  }),
  ports: () => ({ inputs: [], outputs: ['output'] }),
});
