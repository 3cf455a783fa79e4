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
    ...codingFields({ credential: 'codex', prefix: 'codex' }),
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
