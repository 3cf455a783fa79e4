import { defineNode } from '@millrace/engine';
import { z } from 'zod';
import { modelProblems } from '../kit/models/model-problems.ts';
import { answerParams } from '../kit/models/params/answer-params.ts';
import { MODEL_CREDENTIALS, modelParams } from '../kit/models/params/model-params.ts';

export const llm = defineNode({
  type: 'llm',
  title: 'Language Model',
  family: 'ai',
  summary: 'Asks a language model and returns its answer as text, as JSON or as an image.',
  search_words: ['openai', 'chatgpt', 'anthropic', 'claude', 'gemini', 'ollama', 'llm chain', 'summarize'],
  icon: 'brain',
  credentials: MODEL_CREDENTIALS,
  params: z.object({ ...modelParams, ...answerParams }),
  initial: { label: 'llm', userMessage: '$input.text', temperature: 0.7 },
  ports: ({ batchModeEnabled }) =>
    batchModeEnabled === true
      ? { inputs: ['input'], outputs: ['output', 'batchStatus'], at_pause: ['batchStatus'] }
      : { inputs: ['input'], outputs: ['output'] },
  problems: modelProblems,
  effect: 'steps',
});
