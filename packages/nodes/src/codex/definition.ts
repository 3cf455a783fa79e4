import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { codingFields, codingOutput, WORKSPACE } from '../kit/coding/fields.ts';
import { codexCredential } from './credential.ts';

export const codex = defineNode({
  type: 'codex',
  title: 'Codex',
  family: 'ai',
  summary: 'Lets a coding agent work on a repository in a container.',
  icon: 'terminal',
  credentials: [codexCredential],
  params: z.object({
    ...codingFields({
      credential: 'codex',
      prefix: 'codex',
      budget:
        'Once the node has cost this much, the agent begins no new round: the cost of a round is known only at its end. With no model chosen, the price is that of the model that Codex used, and the first round begins without a check. A model without a known price does not count. Empty: no budget.',
    }),
    codexModel: field.template('Model', { help: 'Empty: the default of the agent.' }).default(''),
    codexReasoningEffort: field
      .choice('Reasoning effort', ['minimal', 'low', 'medium', 'high', 'xhigh'])
      .default('medium'),
  }),
  initial: { label: 'codex', taskPrompt: '$input.text', baseBranch: 'main', publishMode: 'diff_only' },
  output: z.object(codingOutput),
  ports: () => ({ inputs: ['input'], outputs: ['output', 'question'], at_pause: ['question'] }),
  effect: 'steps',
  traits: { workspace: WORKSPACE, returns_outside_content: true },
});
