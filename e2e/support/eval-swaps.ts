import type { World } from './matrix-world.ts';
import { type Answered, asOwner, type IdSwap, model } from './swap.ts';

const onSuite = async (world: World, action: string, body: object): Promise<Answered> =>
  asOwner(world, ['POST', `/api/evals/suites/${await world.make('eval_suite')}/${action}`, body]);

const asking = (send: (world: World, credential_id: string) => Promise<Answered>): IdSwap => ({
  make: model,
  send,
  verdict: 'refused',
});

/** Ids in the bodies of evals. */
export const evalSwaps: Readonly<Record<string, IdSwap>> = {
  'optimizeEvalPrompt body credential_id': {
    ...asking((world, credential_id) =>
      onSuite(world, 'optimize-prompt', { credential_id, model: 'm', system_prompt: 'x' }),
    ),
    reached: [503],
  },
  'generateEvalTestData body credential_id': {
    ...asking((world, credential_id) => onSuite(world, 'generate-test-data', { credential_id, model: 'm' })),
    reached: [503],
  },
  'startEvalRun body credential_id': asking((world, credential_id) =>
    onSuite(world, 'run', { credential_id, models: ['m'] }),
  ),
  'startEvalRun body judge_credential_id': asking(async (world, judge_credential_id) => {
    const credential_id = await model(world, world.users.owner);
    const judge = { scoring_method: 'llm_judge', judge_model: 'm', judge_credential_id };
    return onSuite(world, 'run', { credential_id, models: ['m'], ...judge });
  }),
};
