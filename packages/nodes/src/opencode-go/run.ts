import { implement } from '../implement.ts';
import { runCodingTask } from '../kit/coding/task.ts';
import { opencodeAgent } from './agent.ts';
import { opencodeGo } from './definition.ts';

export const runOpencodeGo = implement(opencodeGo, async (call) => {
  const { output, patchUrl, pushedBranch } = await runCodingTask(call, opencodeAgent);
  return { output: { ...output, pushedBranch, patchUrl } };
});
