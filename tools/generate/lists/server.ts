import { inFiles, inFolders, listModule } from './read.ts';

const SCHEMA = 'apps/server/src/database/schema';
const RESOURCES = 'apps/server/src/resources';

const TABLE = /^export const (\w+) = pgTable\(/gm;
const BIND = /^export (?:async )?function (bind\w+)\(/gm;

/** Every table, and what makes the routes of every resource. */
export function serverLists(root: string): [path: string, text: string][] {
  const tables = new Set(inFiles(root, SCHEMA, TABLE).map(({ place }) => place));
  const resources = inFolders(root, RESOURCES, 'routes.ts', BIND);
  return [
    [
      `${SCHEMA}/tables.generated.ts`,
      listModule(...[...tables].map((place) => `export * from './${place}.ts';`)),
    ],
    [
      `${RESOURCES}/resources.generated.ts`,
      listModule(
        "import type { BindResource } from '../http/bind.ts';",
        ...resources.map(({ name, place }) => `import { ${name} } from './${place}/routes.ts';`),
        '',
        'export const resources: readonly BindResource[] = [',
        ...resources.map(({ name }) => `  ${name},`),
        '];',
      ),
    ],
  ];
}
