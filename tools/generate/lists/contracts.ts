import { type Declaring, getPlace, inFiles, inOrder, listModule, namesIn } from './read.ts';

const CONTRACTS = 'packages/contracts/src';

/** Contracts in the order of the documentation; those that are not named here follow by name. */
const ORDER = `
  auth workflows workflow-versions publish-gates execution-tokens executions run-graphs inbox analytics
  platform-events replay-jobs callbacks reviews sandbox portal portal-conversations portal-visitors
  expressions teams credentials audit global-variables folders workflow-shares files file-intake templates
  vector-stores analysis-documents import-reports agent-memory workflow-pins traces triggers data-tables
  data-rows boards board-cards alerts skills webhooks mcp oauth assistant chats evals
`;

const LISTED = /^export const (\w+Endpoints) = \[/gm;

/** Leaves out lists that another list includes. */
function outermost(contracts: readonly Declaring[]): Declaring[] {
  const text = contracts.map((contract) => contract.text).join('\n');
  return contracts.filter(({ name }) => !new RegExp(`\\.\\.\\.${name}\\b`).test(text));
}

/** The exports of every file with a list of endpoints, and all endpoints. */
export function contractLists(root: string): [path: string, text: string][] {
  const contracts = inFiles(root, CONTRACTS, LISTED);
  const places = [...new Set(contracts.map(({ place }) => place))];
  const outer = outermost(contracts);
  const listed = inOrder(outer, namesIn(ORDER), getPlace, `${CONTRACTS}/<name>.ts`);
  return [
    [
      `${CONTRACTS}/resources.generated.ts`,
      listModule(
        "import type { AnyEndpoint } from './endpoint.ts';",
        ...outer.map(({ name, place }) => `import { ${name} } from './${place}.ts';`),
        '',
        ...places.map((place) => `export * from './${place}.ts';`),
        '',
        '/** Every endpoint of the service, resource by resource. */',
        'export const allEndpoints: readonly AnyEndpoint[] = [',
        ...listed.map(({ name }) => `  ...${name},`),
        '];',
      ),
    ],
  ];
}
