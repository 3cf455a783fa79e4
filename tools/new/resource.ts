import type { Edits } from './edit.ts';
import { type Names, singular } from './names.ts';
import { fromTemplate } from './template.ts';

const CONTRACTS = 'packages/contracts/src';
const SCHEMA = 'apps/server/src/database/schema';
const RESOURCES = 'apps/server/src/resources';
const CASES = 'e2e/spec/authorization-matrix.cases.ts';
const WORLD = 'e2e/support/matrix-world.ts';

/** The operations that a resource may do without; it is always listed and created. */
const OPTIONAL = ['read', 'update', 'delete'] as const;

/** Throws with a sentence about an endpoint that cannot be left out. */
function partsBeside(without: readonly string[]): ReadonlySet<string> {
  const unknown = without.find((name) => !OPTIONAL.some((optional) => optional === name));
  if (unknown !== undefined)
    throw new Error(`a resource cannot be without "${unknown}", only without ${OPTIONAL.join(', ')}`);
  return new Set(OPTIONAL.filter((name) => !without.includes(name)));
}

/**
 * Things that each account has for itself: a table, endpoints, who may, tests, rows of the authorization matrix.
 *
 * @param without endpoints that it shall not have
 */
export function addResource(edits: Edits, many: Names, without: readonly string[]): string {
  const one = singular(many);
  const parts = partsBeside(without);
  const template = (name: string) => fromTemplate(`resource/${name}`, { many, one }, parts);
  const folder = `${RESOURCES}/${many.kebab}`;
  for (const part of ['queries.ts', 'service.ts', 'routes.ts'])
    edits.create(`${folder}/${part}`, template(part));
  if (parts.size > 0) edits.create(`${folder}/access.ts`, template('access.ts'));
  edits.create(`${folder}/${many.kebab}.test.ts`, template('resource.test.ts'));
  edits.create(`${CONTRACTS}/${many.kebab}.ts`, template('contract.ts'));
  edits.create(`${SCHEMA}/${many.kebab}.ts`, template('schema.ts'));
  addBodies(edits, one, parts);
  if (parts.size > 0) addKind(edits, many, one);
  return `Change the columns in ${SCHEMA}/${many.kebab}.ts, the contract and the service. After a change of the columns \
\`npm run generate:db -- --renew ${many.kebab}\` regenerates its migration. \`npm run new screen ${many.kebab}\` lists them.`;
}

/** The bodies that the authorization matrix sends to the endpoints that take one. */
function addBodies(edits: Edits, one: Names, parts: ReadonlySet<string>): void {
  const body = "{ body: () => ({ name: 'x' }) }";
  const update = parts.has('update') ? `  update${one.pascal}: ${body},\n` : '';
  edits.insertBefore(CASES, '};\n\nconst PREFIXES', `  create${one.pascal}: ${body},\n${update}`);
}

/** The object that the authorization matrix makes for addresses that name one. */
function addKind(edits: Edits, many: Names, one: Names): void {
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
