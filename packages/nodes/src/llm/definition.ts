import { defineNode } from '@millrace/engine';
import { z } from 'zod';
import { MODEL_CREDENTIALS, modelParams } from '../kit/models/params.ts';

export const llm = defineNode({
  type: 'llm',
  title: 'Language Model',
  family: 'ai',
  summary: 'Asks a language model and returns its answer as text or as JSON.',
  icon: 'brain',
  credentials: MODEL_CREDENTIALS,
  params: z.object(modelParams),
  initial: { label: 'llm', userMessage: '$input.text', temperature: 0.7 },
  effect: 'steps',
});
