import type { Import, Module } from './modules.ts';

/** What one module may import. `comment` tells the reader of a failure why the rule is there and what to do. */
export interface Rule {
  readonly name: string;
  readonly comment: string;
  /** Modules that the rule is about. */
  readonly from: RegExp;
  readonly except?: RegExp;
  readonly forbids: (imported: Import, module: Module) => boolean;
}

export interface Violation {
  readonly rule: string;
  readonly path: string;
  readonly message: string;
}

const TEST = /\.test\.tsx?$|\/testing\/|\.conformance\.ts$|\.cases\.ts$/;
const ENGINE_LIBRARIES = new Set(['zod', 're2js', '@noble/hashes']);
const HTTP_LIBRARIES = /^(fastify|@fastify\/.*)$/;

const inFolder = (imported: Import, folder: string) =>
  imported.kind === 'file' && imported.target.startsWith(folder);
const segment = (path: string, prefix: string) =>
  path.startsWith(prefix) ? path.slice(prefix.length).split('/')[0] : undefined;

const RESOURCES = 'apps/server/src/resources/';
const NODES = 'packages/nodes/src/';

export const RULES: readonly Rule[] = [
  {
    name: 'engine-is-pure',
    comment:
      'The engine decides and never does: it imports itself and three pure libraries. Pass the effect in as a port.',
    from: /^packages\/engine\/src\//,
    except: TEST,
    forbids: (i) =>
      (i.kind === 'package' && !ENGINE_LIBRARIES.has(i.target)) ||
      i.kind === 'node' ||
      (i.kind === 'file' && !inFolder(i, 'packages/engine/')),
  },
  {
    name: 'definitions-are-browser-safe',
    comment:
      'Palette and forms read definitions in the browser: import engine, zod and other definitions only.',
    from: /^packages\/nodes\/src\/([^/]+\/definition|catalog)\.ts$/,
    forbids: (i) =>
      i.kind === 'node' ||
      (i.kind === 'package' && i.target !== 'zod') ||
      (inFolder(i, NODES) && !/\/(definition|shared\/[^/]+|catalog)\.ts$/.test(i.target)),
  },
  {
    name: 'nodes-do-not-know-each-other',
    comment: 'What two nodes need lives in shared/.',
    from: /^packages\/nodes\/src\/[^/]+\//,
    except: TEST,
    forbids: (i, m) => {
      const own = segment(m.path, NODES);
      const other = segment(i.target, NODES);
      return (
        inFolder(i, NODES) &&
        i.target.slice(NODES.length).includes('/') &&
        other !== own &&
        other !== 'shared' &&
        own !== 'shared'
      );
    },
  },
  {
    name: 'packages-never-import-apps',
    comment: 'Packages are below the applications; turn the dependency round with a port.',
    from: /^packages\//,
    forbids: (i) => inFolder(i, 'apps/'),
  },
  {
    name: 'web-never-imports-the-server-side',
    comment: 'The browser gets contracts, engine and definitions; never implementations or the server.',
    from: /^apps\/web\//,
    forbids: (i) =>
      inFolder(i, 'apps/server/') ||
      i.target === 'packages/nodes/src/runtime.ts' ||
      /^packages\/nodes\/.*\/run\.ts$/.test(i.target),
  },
  {
    name: 'routes-go-through-services',
    comment:
      'Routes parse, call one verb and answer; database, adapters and queries belong behind the service.',
    from: /^apps\/server\/src\/resources\/[^/]+\/([a-z-]+-)?routes\.ts$/,
    forbids: (i) =>
      /^apps\/server\/src\/(database|adapters)\//.test(i.target) ||
      /\/([a-z-]+-)?queries\.ts$/.test(i.target),
  },
  {
    name: 'services-are-framework-free',
    comment: 'Rules know no HTTP library, so that any entry point can call them.',
    from: /^apps\/server\/src\/(resources\/[^/]+\/(?!.*routes).*|core\/.*)\.ts$/,
    except: /\.test\.ts$|-http\.ts$|\/index\.ts$/,
    forbids: (i) => i.kind === 'package' && HTTP_LIBRARIES.test(i.target),
  },
  {
    name: 'only-compose-picks-adapters',
    comment:
      'Everything else sees ports; a new place that picks adapters makes a second truth about which there are.',
    from: /^apps\/server\/src\//,
    except:
      /^apps\/server\/src\/(compose(-database)?\.ts|adapters\/|testing\/)|\/testing\/|\.test\.ts$|\.conformance\.ts$/,
    forbids: (i) => inFolder(i, 'apps/server/src/adapters/'),
  },
  {
    name: 'resources-meet-at-their-service',
    comment:
      'Another resource is asked through its service or access rules, never through its tables or routes.',
    from: /^apps\/server\/src\/resources\/[^/]+\//,
    except: /\.test\.ts$/,
    forbids: (i, m) => {
      const other = segment(i.target, RESOURCES);
      return (
        inFolder(i, RESOURCES) &&
        other !== segment(m.path, RESOURCES) &&
        /(queries|routes)\.ts$/.test(i.target)
      );
    },
  },
  {
    name: 'product-never-imports-test-code',
    comment: 'Helpers of tests stay in tests.',
    from: /^(packages|apps)\/[^/]+\/src\//,
    except: TEST,
    forbids: (i) => i.kind === 'file' && /\/testing\/|\.test\.tsx?$/.test(i.target),
  },
];

/** Every import that a rule forbids. */
export function checkRules(modules: readonly Module[], rules: readonly Rule[] = RULES): Violation[] {
  return rules.flatMap((rule) =>
    modules
      .filter((module) => rule.from.test(module.path) && !rule.except?.test(module.path))
      .flatMap((module) =>
        module.imports
          .filter((imported) => rule.forbids(imported, module))
          .map((imported) => ({
            rule: rule.name,
            path: module.path,
            message: `imports ${imported.specifier}. ${rule.comment}`,
          })),
      ),
  );
}

/** Imports that lead nowhere. */
export function checkResolves(modules: readonly Module[], exists: (path: string) => boolean): Violation[] {
  return modules.flatMap((module) =>
    module.imports
      .filter((imported) => imported.kind === 'file' && !exists(imported.target))
      .map((imported) => ({
        rule: 'imports-resolve',
        path: module.path,
        message: `imports ${imported.specifier}, which does not exist`,
      })),
  );
}

/** Import cycles between modules, each told once; imports of types alone do not count. */
export function checkCycles(modules: readonly Module[]): Violation[] {
  const edges = new Map(
    modules.map((module) => [
      module.path,
      module.imports.filter((i) => i.kind === 'file' && !i.type_only).map((i) => i.target),
    ]),
  );
  const state = new Map<string, 'open' | 'closed'>();
  const found: Violation[] = [];
  const visit = (path: string, trail: string[]) => {
    state.set(path, 'open');
    for (const target of edges.get(path) ?? []) {
      if (state.get(target) === 'open') {
        const cycle = [...trail.slice(trail.indexOf(target)), target];
        found.push({ rule: 'no-cycles', path, message: cycle.join(' -> ') });
      } else if (!state.has(target)) visit(target, [...trail, target]);
    }
    state.set(path, 'closed');
  };
  for (const path of edges.keys()) if (!state.has(path)) visit(path, [path]);
  return found;
}
