import type { Edits } from './edit.ts';
import { type Names, namesOf } from './names.ts';
import { fromTemplate } from './template.ts';

const CONTRACTS = 'packages/contracts/src';
const SCHEMA = 'apps/server/src/database/schema';
const RESOURCES = 'apps/server/src/resources';
const CASES = 'e2e/spec/authorization-matrix.cases.ts';
const WORLD = 'e2e/support/matrix-world.ts';

/** `labels` -> `label`, `entries` -> `entry`. Throws for a name that is not of many. */
function singular({ kebab }: Names): Names {
  if (kebab.endsWith('ies')) return namesOf(`${kebab.slice(0, -3)}y`);
  if (kebab.endsWith('s') && !kebab.endsWith('ss')) return namesOf(kebab.slice(0, -1));
  throw new Error(`a resource has the name of many, such as ${kebab}s`);
}

/** Things that each account has for itself: a table, five endpoints, who may, tests, rows of the authorization matrix. */
export function addResource(edits: Edits, many: Names): string {
  const one = singular(many);
  const template = (name: string) => fromTemplate(`resource/${name}`, many, one);
  const folder = `${RESOURCES}/${many.kebab}`;
  for (const part of ['queries.ts', 'access.ts', 'service.ts', 'routes.ts'])
    edits.create(`${folder}/${part}`, template(part));
  edits.create(`${folder}/${many.kebab}.test.ts`, template('resource.test.ts'));
  edits.create(`${CONTRACTS}/${many.kebab}.ts`, template('contract.ts'));
  edits.create(`${SCHEMA}/${many.kebab}.ts`, template('schema.ts'));

  edits.insertBefore(`${CONTRACTS}/index.ts`, 'export ', `export * from './${many.kebab}.ts';\n`);
  edits.addImport(`${CONTRACTS}/all.ts`, `import { ${one.camel}Endpoints } from './${many.kebab}.ts';`);
  edits.insertBefore(`${CONTRACTS}/all.ts`, '  ...webhookEndpoints,', `  ...${one.camel}Endpoints,\n`);
  edits.insertBefore(`${SCHEMA}/index.ts`, 'export ', `export * from './${many.kebab}.ts';\n`);
  edits.addImport(`${RESOURCES}/index.ts`, `import { bind${many.pascal} } from './${many.kebab}/routes.ts';`);
  edits.insertBefore(`${RESOURCES}/index.ts`, '  bindTriggers(binder);', `  bind${many.pascal}(binder);\n`);
  addMatrixRows(edits, many, one);
  return `Change the columns in ${SCHEMA}/${many.kebab}.ts, the contract and the service. After a change of the columns \
\`npm run generate:db -- --renew ${many.kebab}\` makes its migration anew.`;
}

function addMatrixRows(edits: Edits, many: Names, one: Names): void {
  const body = "{ body: () => ({ name: 'x' }) }";
  edits.insertBefore(
    CASES,
    '};\n\nconst PREFIXES',
    `  create${one.pascal}: ${body},\n  update${one.pascal}: ${body},\n`,
  );
  edits.insertBefore(
    CASES,
    '  [/^\\/api\\/auth\\/sessions',
    `  [/^\\/api\\/${many.kebab}\\/\\{id\\}/, '${one.snake}'],\n`,
  );
  edits.insertBefore(WORLD, "  | 'session';", `  | '${one.snake}'\n`);
  edits.insertBefore(WORLD, '  session: {', `  ${one.snake}: { direct: false, team: false },\n`);
  edits.insertBefore(
    WORLD,
    "    case 'session':",
    `    case '${one.snake}':\n      return created(user, '/api/${many.kebab}', { name });\n`,
  );
}
