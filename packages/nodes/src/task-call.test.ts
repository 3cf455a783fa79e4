import { expect, expectTypeOf, test } from 'vitest';
import { implement, type NodeCall } from './implement.ts';
import { runNode } from './testing/run-node.ts';
import { textInput } from './text-input/definition.ts';

/** Returns what `look` sees in the call of a node. */
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
  const spread = await seenBy((call) => ({ ...call }));
  expectTypeOf(spread).not.toHaveProperty('services');
  expect(spread).not.toHaveProperty('services');
});

test('neither has the rest of a call', async () => {
  const rest = await seenBy(({ params, ...others }) => ({ ...others, used: params !== undefined }));
  expectTypeOf(rest).not.toHaveProperty('services');
  expect(rest).not.toHaveProperty('services');
});

test('an object with everything that a call shows is no call', () => {
  expectTypeOf<NodeCall>().toExtend<Pick<NodeCall, keyof NodeCall>>();
  expectTypeOf<Pick<NodeCall, keyof NodeCall>>().not.toExtend<NodeCall>();
});
