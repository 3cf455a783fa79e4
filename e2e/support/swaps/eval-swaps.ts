import type { World } from '../matrix-world.ts';
import { type Answered, asOwner, type IdSwap, model, object } from './swap.ts';

const onSuite = async (world: World, action: string, body: object): Promise<Answered> =>
  asOwner(world, ['POST', `/api/evals/suites/${await world.make('eval_suite')}/${action}`, body]);

const asking = (send: (world: World, credential_id: string) => Promise<Answered>): IdSwap => ({
  make: model,
  send,
  verdict: 'refused',
});

const onGate = async (world: World, suite: object): Promise<Answered> => {
  const url = `/api/workflows/${await world.make('workflow')}/publish-gate`;
  return asOwner(world, ['PUT', url, { suites: [suite] }]);
};

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
  'setPublishGate body suites[].suite_id': {
    make: object('eval_suite'),
    send: (world, suite_id) => onGate(world, { suite_id }),
    verdict: 'refused',
  },
  'setPublishGate body suites[].judge_credential_id': asking(async (world, judge_credential_id) => {
    const suite = { name: `judged ${Math.random()}`, scoring_method: 'llm_judge' };
    const { body } = await asOwner(world, ['POST', '/api/evals/suites', suite]);
    const { id: suite_id } = JSON.parse(body) as { id: string };
    return onGate(world, { suite_id, judge_credential_id, judge_model: 'm' });
  }),
};
