import { cases } from '../../packages/engine/src/expression/cases.ts';
import { exampleInput, exampleResult } from '../../packages/engine/src/expression/examples.ts';
import {
  type ExpressionMode,
  type FunctionDoc,
  functionDocs,
  type MethodDoc,
  methodDocs,
} from '../../packages/engine/src/expression/index.ts';

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;

function table(docs: readonly FunctionDoc[]): string {
  const rows = docs.map(({ signature, doc, example, aliases }) => {
    const also = aliases.length > 0 ? ` Also ${aliases.map(code).join(', ')}.` : '';
    return `| ${code(signature)} | ${doc}${also} | ${code(example)} | ${stated(exampleResult(example))} |`;
  });
  return `| | | Example | Result |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

/** JSON with a line for each key. */
const inLines = (value: object): string =>
  `{\n${Object.entries(value)
    .map(([key, part]) => `  ${JSON.stringify(key)}: ${JSON.stringify(part)}`)
    .join(',\n')}\n}`;

const stated = (result: unknown): string => code(JSON.stringify(result));

/** The statements of the paragraphs in front of it, as examples. */
const IN_FIELDS: readonly (readonly [text: string, mode: ExpressionMode])[] = [
  ['$input.count', 'value'],
  ['Hello $input.first!', 'template'],
  ['Hello $input.nickname!', 'template'],
  ['$input.nickname', 'value'],
  ['$input.items[9].name', 'value'],
  ['$input.body["name"]', 'value'],
  ['$input.count // 2 + 2 ** 3', 'value'],
  ['$input.prices[0:2]', 'value'],
  ['$"Ada" in $input.names and not ($input.count > 9)', 'value'],
  ['$input.count > 3 ? "many" : "few"', 'value'],
  ['$"many" if $input.count > 3 else "few"', 'value'],
  ['${"sum": $input.price + 1}', 'value'],
];

function fieldExamples(): string {
  const rows = IN_FIELDS.map(([text, mode]) => `| ${code(text)} | ${stated(exampleResult(text, mode))} |`);
  return `| Field | Value |\n|---|---|\n${rows.join('\n')}`;
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
| \`$agentArguments\` | in a tool of an agent: what the agent has filled in |
| \`item\` | inside \`map\`, \`filter\`, \`sort\` and \`distinctBy\`: the element |

Missing keys, indexes out of range and methods on nothing give null. In text, a reference without a value stays as written. In a text that does not begin with \`$\`, a word is never a name, except in arguments: \`n is $n\` gives \`n is 5\`.

Operators: \`+ - * / // % **\`, comparisons, \`in\`, \`and or not\` (also \`&& ||\`), \`a if c else b\` and \`c ? a : b\`, lists, objects, slices.

A text and a number are never equal and have no order, also when the text has digits: \`"80" > 50\` is false in a condition and null elsewhere. Give input fields the type Number, or convert: \`$float($input.amount) > 50\`. The editor warns where the last run compared the two.

A whole number whose digits a number cannot keep, such as the id 9007199254740993, is a text with these digits wherever JSON or YAML is read: in bodies of calls, in answers, in JSON fields, in \`toJson\`. \`$int\` makes a rounded number of it. A text for a field of the type Number that would lose digits is refused.

In all examples of this page \`$vars.list\` is \`[1,2]\`, \`$now\` is 31 January 2026, 10:05:09, chance is in the middle, and \`$input\` is

\`\`\`json
${inLines(exampleInput)}
\`\`\`

${fieldExamples()}

## Functions

${table(functionDocs)}
## Methods and properties

${methodsByType(methodDocs)}
The behaviour in full is a table of ${cases.reduce((sum, group) => sum + group.cases.length, 0)} cases that the tests read: \`packages/engine/src/expression/cases.ts\`.
`;
}
