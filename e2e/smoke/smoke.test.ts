import { catalog } from '@millrace/nodes/catalog';
import { credentialTypes } from '@millrace/nodes/credentials';
import { requireNoDefects } from '@millrace/server/testing/defects';
import { hasSandboxEngine } from '@millrace/server/testing/sandbox';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { answers } from '../../packages/nodes/src/testing/servers/databases.ts';
import { hasDovecot } from '../../packages/nodes/src/testing/servers/dovecot.ts';
import { ensureBuilt } from '../../tools/prepare.mjs';
import { credentialConfigs, routerConfig } from './cases/credentials.ts';
import { fixedHostCases } from './cases/fixed-hosts.ts';
import { flowCases } from './cases/flow.ts';
import { integrationCases } from './cases/integrations.ts';
import { modelCases } from './cases/models.ts';
import { STORE_SERVERS, storeCases } from './cases/stores.ts';
import { triggerCases } from './cases/triggers.ts';
import { guideCases } from './guide-cases.ts';
import { compareCoverage, type SmokeCases } from './smoke-case.ts';
import { type SmokeWorld, startSmokeWorld } from './world.ts';

const BUILD_TIMEOUT_MS = 600_000;

const types = catalog.all.map(({ type }) => type);

const cases: SmokeCases = {
  ...guideCases(types),
  ...flowCases,
  ...storeCases,
  ...integrationCases,
  ...fixedHostCases,
  ...modelCases,
  ...triggerCases,
};

/** The needs of a case that a machine may lack; where everything must run, it fails instead of being skipped. */
const lacking = new Set<string>();
for (const [type, { port }] of Object.entries(STORE_SERVERS)) if (!(await answers(port))) lacking.add(type);
if (!hasSandboxEngine) lacking.add('code');
if (!hasDovecot) lacking.add('imapTrigger');
const maySkip = process.env['CI'] !== 'true';

let world: SmokeWorld;
beforeAll(async () => {
  if (process.env['PRODUCT_MAIN'] === undefined) await ensureBuilt();
  world = await startSmokeWorld();
}, BUILD_TIMEOUT_MS);
/** A node that crashes tells its user "internal error"; the log says which one it was. */
let read = 0;
afterEach(() => {
  const lines = world.product.log.slice(read);
  read += lines.length;
  requireNoDefects(lines);
});
afterAll(() => world.close());

describe('every node type does its work in the built product', () => {
  for (const [type, run] of Object.entries(cases)) {
    test.skipIf(maySkip && lacking.has(type))(type, () => run(world));
  }
});

describe('every type of credential can be stored', () => {
  test.each(Object.entries(credentialConfigs))('%s', async (type, config) => {
    const id = await world.store(type, config);
    expect(await world.ask('GET', `/api/credentials/${id}`)).toMatchObject({ id, type });
  });

  test('model_router', async () => {
    const server = { api_key: 'key-0123456789', base_url: 'http://127.0.0.1:9' };
    const [decision, model] = [await world.store('decision', server), await world.store('custom', server)];
    const id = await world.store('model_router', routerConfig(decision, model));
    expect(await world.ask('GET', `/api/credentials/${id}`)).toMatchObject({ id, type: 'model_router' });
  });
});

describe('nothing is left out', () => {
  test('every node type of the catalogue has a case', () => {
    expect(compareCoverage(types, Object.keys(cases))).toEqual({ missing: [], unknown: [] });
  });

  test('every type of credential has a configuration', () => {
    const covered = [...Object.keys(credentialConfigs), 'model_router'];
    expect(
      compareCoverage(
        credentialTypes.map(({ type }) => type),
        covered,
      ),
    ).toEqual({ missing: [], unknown: [] });
  });

  test('a type without a case, and a case without a type, are named', () => {
    const covered = [...types.filter((type) => type !== 'github'), 'typo'];
    expect(compareCoverage(types, covered)).toEqual({ missing: ['github'], unknown: ['typo'] });
  });
});
