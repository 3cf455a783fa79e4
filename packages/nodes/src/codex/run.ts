import { implement } from '../implement.ts';
import { runCodingTask } from '../kit/coding/task.ts';
import { codexAgent } from './agent.ts';
import { codex } from './definition.ts';

export const runCodex = implement(codex, async (call) => {
  const { output } = await runCodingTask(call, codexAgent);
  // A task that waits for an answer has been handed on at `question` already.
  return { output, ports: ['output'] };
});
