import { implement } from '../implement.ts';
import { type Act, connectGithub, type Operation } from './calls/connection.ts';
import { FILES } from './calls/files.ts';
import { ISSUES } from './calls/issues.ts';
import { PULLS } from './calls/pulls.ts';
import { RELEASES } from './calls/releases.ts';
import { REPOSITORIES } from './calls/repositories.ts';
import { dispatchAndWait, WORKFLOWS } from './calls/workflows.ts';
import { githubChoices } from './choices.ts';
import { github } from './definition.ts';

const OPERATIONS: Readonly<Record<Exclude<Operation, 'dispatchWorkflowAndWait'>, Act>> = {
  ...REPOSITORIES,
  ...ISSUES,
  ...PULLS,
  ...RELEASES,
  ...WORKFLOWS,
  ...FILES,
};

export const runGithub = implement(
  github,
  async (call) => {
    const operation = call.params.githubOperation;
    const output =
      operation === 'dispatchWorkflowAndWait'
        ? await dispatchAndWait(call)
        : await OPERATIONS[operation](await connectGithub(call));
    return { output: { success: true, operation, ...output } };
  },
  { choices: githubChoices },
);
