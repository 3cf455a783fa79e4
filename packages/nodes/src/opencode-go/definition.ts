import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { codingFields, codingOutput, WORKSPACE } from '../kit/coding/fields.ts';
import { opencodeCredential } from './credential.ts';

export const opencodeGo = defineNode({
  type: 'opencodeGo',
  title: 'OpenCode',
  family: 'ai',
  summary: 'Lets the coding agent OpenCode work on a repository in a container.',
  icon: 'terminal',
  credentials: [opencodeCredential],
  params: z.object({
    ...codingFields({
      credential: 'opencode',
      prefix: 'opencode',
      budget: 'Once the node has cost this much, the agent is stopped. Empty: no budget.',
    }),
    opencodeModel: field
      .template('Model', {
        placeholder: 'glm-5.1',
        help: 'A model of OpenCode Go, or provider/model. Empty: the default of the agent.',
      })
      .default(''),
    opencodeVariant: field
      .template('Variant', { help: 'Reasoning effort as the model names it, such as high.' })
      .default(''),
  }),
  initial: { label: 'opencodeGo', taskPrompt: '$input.text', baseBranch: 'main', publishMode: 'diff_only' },
  output: z.object({ ...codingOutput, pushedBranch: z.string().nullable(), patchUrl: z.string().nullable() }),
  effect: 'steps',
  traits: { workspace: WORKSPACE, returns_outside_content: true },
});
