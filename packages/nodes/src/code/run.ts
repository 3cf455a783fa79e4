import { isJsonObject, type JsonObject } from '@millrace/engine';
import { implement } from '../implement.ts';
import { storeGeneratedFiles } from '../kit/files/generated-files.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { requirementsIn } from '../kit/scripts/requirements.ts';
import { parsedJson } from '../kit/text/parsed-json.ts';
import { evaluated } from '../kit/values/mapped-object.ts';
import { code } from './definition.ts';
import { readFiles } from './files.ts';

/** §8.4. */
const TIMEOUT_MS = 60_000;

export const runCode = implement(code, async ({ params, services, signal, idempotency_key }) => {
  const { codeLanguage, codeSource, codeRequirements, codeAllowNetwork } = params;
  if (codeSource.trim() === '') throw refusedParam('codeSource', 'is empty; write a function main(params)');
  const language = codeLanguage === 'python' ? 'python' : 'javascript';
  const requirements = requirementsIn(language, codeRequirements, 'codeRequirements');
  const values = parseParameters(evaluated(params.codeParameters));
  const { result, logs, install, files } = await services.runCode('code', {
    language,
    is_typescript: codeLanguage === 'typescript',
    source: codeSource,
    entry: 'main',
    values,
    passes: 'one',
    requirements,
    allow_network: codeAllowNetwork,
    files: await readFiles(services.files, evaluated(params.codeFiles)),
    timeout_ms: TIMEOUT_MS,
    signal,
  });
  const generated = await storeGeneratedFiles(services.files, files ?? [], idempotency_key);
  return {
    output: {
      result,
      logs,
      install: { ...install },
      ...(generated.length > 0 ? { _generated_files: generated } : {}),
    },
  };
});

function parseParameters(value: ReturnType<typeof evaluated>): JsonObject {
  const found = typeof value === 'string' ? (value.trim() === '' ? {} : parsedJson(value)) : value;
  if (isJsonObject(found)) return found;
  throw refusedParam('codeParameters', 'must be a JSON object such as {"name": "Ada"}');
}
