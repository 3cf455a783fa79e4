import { isJsonObject, type JsonObject } from '@millrace/engine';
import { implement } from '../implement.ts';
import { evaluated } from '../kit/mapped-object.ts';
import { parsedJson } from '../kit/parsed-json.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { requirementsIn } from '../kit/requirements.ts';
import { code } from './definition.ts';

/** §8.4. */
const TIMEOUT_MS = 60_000;

export const runCode = implement(code, async ({ params, services, signal }) => {
  const { codeLanguage, codeSource, codeRequirements, codeAllowNetwork } = params;
  if (codeSource.trim() === '') throw refusedParam('codeSource', 'is empty; write a function main(params)');
  const language = codeLanguage === 'python' ? 'python' : 'javascript';
  const { result, logs, install } = await services.runCode('code', {
    language,
    is_typescript: codeLanguage === 'typescript',
    source: codeSource,
    entry: 'main',
    values: parametersOf(evaluated(params.codeParameters)),
    passes: 'one',
    requirements: requirementsIn(language, codeRequirements, 'codeRequirements'),
    allow_network: codeAllowNetwork,
    timeout_ms: TIMEOUT_MS,
    signal,
  });
  return { output: { result, logs, install: { ...install } } };
});

function parametersOf(value: ReturnType<typeof evaluated>): JsonObject {
  const found = typeof value === 'string' ? (value.trim() === '' ? {} : parsedJson(value)) : value;
  if (isJsonObject(found)) return found;
  throw refusedParam('codeParameters', 'must be a JSON object such as {"name": "Ada"}');
}
