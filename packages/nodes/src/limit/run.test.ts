import type { Json, JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

const run = (data: JsonObject) => runNode('limit', data, { inputs: { start: { items: [1, 2, 3] } } });

test.each<[JsonObject, Json[]]>([
  [{}, [1]],
  [{ maxItems: '2' }, [1, 2]],
  [{ maxItems: 2, keep: 'last' }, [2, 3]],
  [{ maxItems: 0, keep: 'last' }, []],
  [{ maxItems: 9 }, [1, 2, 3]],
  [{ maxItems: 9, keep: 'last' }, [1, 2, 3]],
])('%o keeps %j', async (data, items) => {
  expect(await run(data)).toEqual({ output: { items, count: items.length, total: 3 } });
});

test.each<[JsonObject, string]>([
  [{ maxItems: -1 }, 'maxItems'],
  [{ maxItems: '1.5' }, 'maxItems'],
  [{ items: '{}' }, 'items'],
])('%o is refused by the name of its field', async (data, field) => {
  expect(await run(data)).toMatchObject({ failure: { kind: 'params', field } });
});
