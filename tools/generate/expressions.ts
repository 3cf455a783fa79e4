import { cases } from '../../packages/engine/src/expression/cases.ts';
import {
  type FunctionDoc,
  functionDocs,
  type MethodDoc,
  methodDocs,
} from '../../packages/engine/src/expression/index.ts';

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;

function table(docs: readonly FunctionDoc[]): string {
  const rows = docs.map(({ signature, doc, example, aliases }) => {
    const also = aliases.length > 0 ? ` Also ${aliases.map(code).join(', ')}.` : '';
    return `| ${code(signature)} | ${doc}${also} | ${code(example)} |`;
  });
  return `| | | Example |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function methodsByType(docs: readonly MethodDoc[]): string {
  const types = [...new Set(docs.map((doc) => doc.type))];
  return types.map((type) => `### ${type}\n\n${table(docs.filter((doc) => doc.type === type))}`).join('\n');
}

/** The reference of the expression language, from the tables that the evaluator itself reads. */
export function expressionReference(): string {
  return `# Expressions

A field may refer to what ran before it: \`$label.path\` is the output of the node with that label, \`$input\` that of the node directly
before. A field whose whole text is one expression keeps the type of its value; inside other text the value becomes text.

| Name | Value |
|---|---|
| \`$label\` | output of any node upstream |
| \`$input\` | output of the node directly before |
| \`$vars\`, \`$global\` | variables of this run; global variables of the person it runs for |
| \`$credentials.name\` | a credential; bracket form for other names: \`$credentials["my-key"]\` |
| \`$now\`, \`$UUID\` | the current time; a new identifier |
| \`$workflowName\`, \`$executionId\` | facts about the run |
| \`$error\` | in the error handler: \`message\`, \`node_label\`, \`node_type\` |
| \`item\` | inside \`map\`, \`filter\`, \`sort\` and \`distinctBy\`: the element |

Missing keys, indexes out of range and methods on nothing give null. In text, a reference without a value stays as written.

Operators: \`+ - * / // % **\`, comparisons, \`in\`, \`and or not\` (also \`&& ||\`), \`a if c else b\` and \`c ? a : b\`, lists, objects, slices.

## Functions

${table(functionDocs)}
## Methods and properties

${methodsByType(methodDocs)}
The behaviour in full is a table of ${cases.reduce((sum, group) => sum + group.cases.length, 0)} cases that the tests read: \`packages/engine/src/expression/cases.ts\`.
`;
}
