import type { Import, Module } from './modules.ts';

/** The imports that one module may have. `comment` tells the reader of a failure why the rule is there and what to do. */
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
const IMPORT_N8N = 'packages/import-n8n/src/';

const SERVER = 'apps/server/src/';
/** Routes bind services to HTTP: they lie with their resource, and belong to the layer of `http`. */
const ROUTES = /^resources\/((index|resources\.generated)\.ts$|.*\/http\/|.*\/([a-z-]+-)?routes\.ts$)/;

/** Layers of the server, lowest first. Adapters are apart: they implement ports, and `startup/compose` alone picks them. */
const LAYERS: readonly { readonly name: string; readonly holds: RegExp }[] = [
  { name: 'config', holds: /^config\.ts$/ },
  { name: 'core', holds: /^(ports|core)\// },
  { name: 'database', holds: /^database\// },
  { name: 'execution', holds: /^execution\// },
  { name: 'resources', holds: /^resources\// },
  { name: 'http', holds: /^(triggers|http)\// },
  { name: 'startup', holds: /^(startup\/|main\.ts$)/ },
];
const HTTP_LAYER = LAYERS.findIndex(({ name }) => name === 'http');

function findLayer(path: string): number {
  if (!path.startsWith(SERVER)) return -1;
  const inside = path.slice(SERVER.length);
  return ROUTES.test(inside) ? HTTP_LAYER : LAYERS.findIndex(({ holds }) => holds.test(inside));
}

/** A module imports its own layer and those below. */
const layerRule = (name: string, at: number): Rule => ({
  name: `layer-${name}`,
  comment:
    'The layers are config < ports, core < database < execution < resources < triggers, http < startup: move what is ' +
    'needed down, or let compose pass it in.',
  from: /^apps\/server\/src\//,
  except: TEST,
  forbids: (i, m) => findLayer(m.path) === at && i.kind === 'file' && findLayer(i.target) > at,
});

const WEB = 'apps/web/src/';

/** Floors of the web app, lowest first. The page of a portal's visitors is low, as it is a bundle of its own. */
const FLOORS: typeof LAYERS = [
  { name: 'lib', holds: /^(lib\/|search\.ts$)/ },
  { name: 'i18n', holds: /^(session|messages|i18n)\// },
  { name: 'ui', holds: /^(ui|styles)\// },
  { name: 'chat', holds: /^chat\// },
  { name: 'data', holds: /^data\// },
  { name: 'features', holds: /^features\// },
  { name: 'editor', holds: /^editor\// },
  { name: 'pages', holds: /^pages\// },
  { name: 'shell', holds: /^shell\// },
  { name: 'routes', holds: /^(routes\/|(app|main)\.tsx$)/ },
];

/** Which floor a file of the web app is on; -1 for all other files. */
export function findFloor(path: string): number {
  if (!path.startsWith(WEB)) return -1;
  const inside = path.slice(WEB.length);
  return FLOORS.findIndex(({ holds }) => holds.test(inside));
}

/** A module imports its own floor and those below. */
const floorRule = (name: string, at: number): Rule => ({
  name: `floor-${name}`,
  comment:
    'The floors of the web app are lib < session, i18n < ui < chat < data < features < editor < pages < shell < routes: ' +
    'move what is needed down; what the editor and pages share is in features.',
  from: /^apps\/web\/src\//,
  except: TEST,
  forbids: (i, m) => findFloor(m.path) === at && i.kind === 'file' && findFloor(i.target) > at,
});

export const RULES: readonly Rule[] = [
  // The highest layer may import everything, and so may the highest floor.
  ...LAYERS.slice(0, -1).map(({ name }, at) => layerRule(name, at)),
  ...FLOORS.slice(0, -1).map(({ name }, at) => floorRule(name, at)),
  {
    name: 'one-page-shows-the-editor',
    comment: 'Only pages/editor imports the editor: what another page shows of it belongs into features.',
    from: /^apps\/web\/src\/(?!editor\/|pages\/editor\/)/,
    except: TEST,
    forbids: (i) => inFolder(i, 'apps/web/src/editor/'),
  },
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
    name: 'store-imports-the-model',
    comment:
      'The statements on runs know the types of execution/model and nothing else of execution: move what is needed there.',
    from: /^apps\/server\/src\/execution\/store\//,
    except: TEST,
    forbids: (i) =>
      inFolder(i, 'apps/server/src/execution/') &&
      !/^apps\/server\/src\/execution\/(store|model)\//.test(i.target),
  },
  {
    name: 'definitions-are-browser-safe',
    comment:
      'Palette and forms read definitions in the browser: import engine, zod and other definitions only.',
    from: /^packages\/nodes\/src\/([^/]+\/(definition|credential)|catalog|definitions\.generated|credentials)\.ts$/,
    forbids: (i) =>
      i.kind === 'node' ||
      (i.kind === 'package' && i.target !== 'zod') ||
      (inFolder(i, NODES) &&
        !/\/(definition|credential|kit\/.+|http\/(curl\/.+|pages\/fields)|catalog|definitions\.generated)\.ts$/.test(
          i.target,
        )),
  },
  {
    name: 'nodes-do-not-know-each-other',
    comment: 'Code that two nodes need lives in kit/, which knows of nodes only their credentials.',
    from: /^packages\/nodes\/src\/[^/]+\//,
    except: TEST,
    forbids: (i, m) => {
      const own = segment(m.path, NODES);
      const other = segment(i.target, NODES);
      return (
        inFolder(i, NODES) &&
        i.target.slice(NODES.length).includes('/') &&
        other !== own &&
        other !== 'kit' &&
        (own !== 'kit' || !i.target.endsWith('/credential.ts'))
      );
    },
  },
  {
    name: 'models-stand-alone',
    comment:
      'Models are below nodes and server: they import the engine, and get their way out as a transport.',
    from: /^packages\/models\/src\//,
    except: TEST,
    forbids: (i) => i.kind === 'file' && !/^packages\/(models|engine)\//.test(i.target),
  },
  {
    name: 'imports-stand-alone',
    comment:
      'The import of other products writes stored documents: it imports the engine alone, and only the server loads it.',
    from: /^(packages|apps\/web)\//,
    except: TEST,
    forbids: (i, m) =>
      m.path.startsWith(IMPORT_N8N)
        ? i.kind === 'file' && !/^packages\/(import-n8n|engine)\//.test(i.target)
        : inFolder(i, IMPORT_N8N),
  },
  {
    name: 'providers-stay-in-models',
    comment:
      'Everything else calls models through @millrace/models, which guards, repeats and words each call.',
    from: /^(packages|apps)\//,
    except: /^packages\/models\/src\//,
    forbids: (i) => i.kind === 'package' && /^(ai|openai|@ai-sdk\/.*|@anthropic-ai\/.*)$/.test(i.target),
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
      /^packages\/nodes\/src\/(runtime|implementations\.generated)\.ts$/.test(i.target) ||
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
    from: /^apps\/server\/src\/(resources\/[^/]+\/(?!.*routes).*|core\/.*|execution\/.*)\.ts$/,
    except: /\.test\.ts$|\/http\/|\/index\.ts$/,
    forbids: (i) => i.kind === 'package' && HTTP_LIBRARIES.test(i.target),
  },
  {
    name: 'only-compose-picks-adapters',
    comment:
      'Everything else sees ports; a new place that picks adapters makes a second truth about which there are.',
    from: /^apps\/server\/src\//,
    except:
      /^apps\/server\/src\/((startup\/compose(-database)?|main)\.ts|adapters\/|testing\/)|\/testing\/|\.test\.ts$|\.conformance\.ts$/,
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
    name: 'requests-leave-through-egress',
    comment:
      'What workflows send leaves through the egress client (`services.http`): it refuses private addresses.',
    from: /^(packages\/(nodes|models|import-n8n)\/src|apps\/server\/src\/(resources|execution|triggers))\//,
    except: TEST,
    forbids: (i) =>
      !i.type_only &&
      ((i.kind === 'node' && /^(node:)?(https?|http2|net|tls|dns|dgram)(\/promises)?$/.test(i.target)) ||
        (i.kind === 'package' && i.target === 'undici')),
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

/** Import cycles between modules, each told once. Imports of types count too: parts that know each other by type alone still cannot be read alone. */
export function checkCycles(modules: readonly Module[]): Violation[] {
  const edges = new Map(
    modules.map(({ path, imports }) => [
      path,
      imports.filter(({ kind }) => kind === 'file').map(({ target }) => target),
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
