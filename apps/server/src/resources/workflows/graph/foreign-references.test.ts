import { expect, test } from 'vitest';
import { clearForeign, namedIds } from './foreign-references.ts';

const OWN = '00000000-0000-4000-8000-00000000000a';
const FOREIGN = '00000000-0000-4000-8000-00000000000b';

test('graph 1.2: credentials that steps of a browser name are found, and cleared with their models where they are foreign', () => {
  const step = (credentialId: string) => ({
    action: 'aiStep',
    instructions: 'Buy',
    credentialId,
    model: 'small',
  });
  const data = {
    label: 'browser',
    playwrightSteps: [{ action: 'navigate', url: 'https://a.test' }, step(FOREIGN), step(OWN)],
    playwrightAuthFallbackSteps: [step(FOREIGN)],
  };
  const graph = { nodes: [{ id: 'n', type: 'playwright', position: { x: 0, y: 0 }, data }], edges: [] };
  expect(new Set(namedIds(graph).credentials)).toEqual(new Set([OWN, FOREIGN]));
  const cleared = clearForeign(graph, new Set([OWN]));
  expect(cleared.graph.nodes[0]?.data).toEqual({
    ...data,
    playwrightSteps: [data.playwrightSteps[0], { ...step(''), model: '' }, step(OWN)],
    playwrightAuthFallbackSteps: [{ ...step(''), model: '' }],
  });
  expect(cleared.warnings.map(({ field }) => field)).toEqual([
    'nodes.0.data.playwrightSteps.1.credentialId',
    'nodes.0.data.playwrightAuthFallbackSteps.0.credentialId',
  ]);
});
