import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject } from '@millrace/engine';
import { guideExamples, toFolderName } from '@millrace/nodes/guide';
import { gives, type SmokeCase, type SmokeCases } from './smoke-case.ts';

const NODES = fileURLToPath(new URL('../../packages/nodes/src', import.meta.url));

/** The single input of the node; undefined when the example needs more than a node in front of it. */
function soleInput({ inputs = {}, ...situation }: Readonly<Record<string, unknown>>): JsonObject | undefined {
  if (Object.keys(situation).length > 0 || !isJsonObject(inputs)) return undefined;
  const [input = {}, ...others] = Object.values(inputs);
  return others.length === 0 && isJsonObject(input) ? input : undefined;
}

/** The first example of a guide, if it only turns one value into another. */
export function caseOfGuide(type: string, guide: string): SmokeCase | undefined {
  const [example] = guideExamples(guide);
  if (example === undefined) return undefined;
  const { data, result, ...situation } = example;
  const body = soleInput(situation);
  if (body === undefined || !isJsonObject(result) || !isJsonObject(result['output'])) return undefined;
  return gives(type, { data, body }, result['output']);
}

/** Cases of the types whose guide already shows the result of a run; they need no other case. */
export function guideCases(types: readonly string[]): SmokeCases {
  return Object.fromEntries(
    types.flatMap((type) => {
      const path = `${NODES}/${toFolderName(type)}/guide.md`;
      const found = existsSync(path) ? caseOfGuide(type, readFileSync(path, 'utf8')) : undefined;
      return found === undefined ? [] : [[type, found]];
    }),
  );
}
