import { fileURLToPath } from 'node:url';
import { type Plugin, runnerImport } from 'vite';

const CONTRACTS = '@millrace/contracts';
const VIRTUAL = '\0endpoint-addresses';
/** These layers call endpoints and never look at their schemas; forms, in pages and editor, do. */
const CALLERS = /\/apps\/web\/src\/(data|session|shell|chat)\//;

interface Address {
  id: string;
  method: string;
  path: string;
}

function isEndpoint(value: unknown): value is Address {
  return typeof value === 'object' && value !== null && 'id' in value && 'method' in value && 'path' in value;
}

/** Keeps the parts of an export that callers need: addresses of endpoints, alone or grouped, and plain constants. */
function reduceExport(value: unknown): unknown {
  if (isEndpoint(value)) return { id: value.id, method: value.method, path: value.path };
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([, item]) => isEndpoint(item))
    ? Object.fromEntries(entries.map(([name, item]) => [name, reduceExport(item)]))
    : undefined;
}

/**
 * Gives the layers that only call endpoints their addresses without the schemas, so that the first page does not load
 * the validation library. An import that is no address fails the build. Development uses the contracts as they are.
 */
export function endpointAddresses(): Plugin {
  return {
    name: 'endpoint-addresses',
    apply: 'build',
    enforce: 'pre',
    resolveId(source, importer) {
      return source === CONTRACTS && importer && CALLERS.test(importer) ? VIRTUAL : null;
    },
    async load(id) {
      if (id !== VIRTUAL) return null;
      const index = fileURLToPath(new URL('../../../packages/contracts/src/index.ts', import.meta.url));
      const { module } = await runnerImport<Record<string, unknown>>(index);
      const lines: string[] = [];
      for (const [name, value] of Object.entries(module)) {
        const lean = reduceExport(value);
        if (lean !== undefined) lines.push(`export const ${name} = ${JSON.stringify(lean)};`);
      }
      return { code: lines.join('\n'), moduleSideEffects: false };
    },
  };
}
