import { expect, test } from 'vitest';
import { implement, type NodeCall } from './implement.ts';
import type { NodeServices } from './services.ts';
import { runNode, TEST_NOW } from './testing/run-node.ts';
import { textInput } from './text-input/definition.ts';

/** What a node gets out of its call. */
async function seenBy<T>(look: (call: NodeCall) => T): Promise<T> {
  const seen: T[] = [];
  const implementation = implement(textInput, (call) => {
    seen.push(look(call));
    return { output: {} };
  });
  await runNode('textInput', {}, { implementation });
  const [first] = seen;
  if (first === undefined) throw new Error('the node was not called');
  return first;
}

test('a spread of a call has no services, so the compiler refuses it where they are needed', async () => {
  const spread = await seenBy((call): { services: NodeServices } => {
    // @ts-expect-error the services of a call are a getter of its class, which no copy has
    const copy: { services: NodeServices } = { ...call };
    return copy;
  });
  expect(spread.services).toBeUndefined();
});

test('neither has the rest of a call', async () => {
  const rest = await seenBy((call): { services: NodeServices } => {
    const { params: _, ...others } = call;
    // @ts-expect-error as above
    const copy: { services: NodeServices } = others;
    return copy;
  });
  expect(rest.services).toBeUndefined();
});

test('no object that production does not build passes as a call', async () => {
  const now = await seenBy((call) => {
    const { params, inputs, services } = call;
    // @ts-expect-error the class has a protected member, so an object literal is no call
    const literal: Pick<NodeCall, 'services'> & NodeCall = { params, inputs, services };
    return literal.services.now();
  });
  expect(now).toBe(TEST_NOW);
});
