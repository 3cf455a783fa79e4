import type { Edits } from './edit.ts';
import type { Names } from './names.ts';

const NODES = 'packages/nodes/src';

/** A node type like `packages/nodes/src/testing/word-count`. */
export function addNode(edits: Edits, names: Names): string {
  const { kebab, camel, pascal, title } = names;
  edits.copyFolder(`${NODES}/testing/word-count`, `${NODES}/${kebab}`, (text) =>
    text.replaceAll('wordCount', camel).replaceAll('WordCount', pascal).replaceAll('Word count', title),
  );
  register(edits, names);
  return `Change the definition, the function, the guide and the German texts in ${NODES}/${kebab}; its icon is a name of apps/web/src/ui/display/glyphs.ts. Then run it in the built product: a case in e2e/smoke/cases.`;
}

/** A node type that calls a service over HTTP, like `packages/nodes/src/testing/notes`. */
export function addIntegration(edits: Edits, names: Names): string {
  const { kebab, camel, pascal, title } = names;
  edits.copyFolder(`${NODES}/testing/notes`, `${NODES}/${kebab}`, (text) =>
    text
      // Names that begin with it, its type, and itself as a name; what the service calls its objects stays.
      .replace(/\bnotes(?=[A-Z])/g, camel)
      .replaceAll("'notes'", `'${camel}'`)
      .replace(/(const |\{ |^ {2})notes(?= =| \}|,$)/gm, `$1${camel}`)
      .replaceAll('runNotes', `run${pascal}`)
      .replaceAll("'Notes server'", `'${title}'`)
      .replaceAll("'Notes'", `'${title}'`)
      .replaceAll('"Notes"', `"${title}"`)
      .replace(/^# Notes$/m, `# ${title}`),
  );
  register(edits, names);
  return `Change the credential, the operations and their calls in ${NODES}/${kebab}; CONTRIBUTING explains each file. Then run it in the built product: a case in e2e/smoke/cases, and a configuration of its credential in e2e/smoke/cases/credentials.ts.`;
}

/** Both lists have the same order: `output` and what is behind it come last in the palette. */
function register(edits: Edits, { kebab, camel, pascal }: Names): void {
  edits.addImport(`${NODES}/catalog.ts`, `import { ${camel} } from './${kebab}/definition.ts';`);
  edits.insertBefore(`${NODES}/catalog.ts`, '  output,\n', `  ${camel},\n`);
  edits.addImport(`${NODES}/runtime.ts`, `import { run${pascal} } from './${kebab}/run.ts';`);
  edits.insertBefore(`${NODES}/runtime.ts`, '  runOutput,\n', `  run${pascal},\n`);
}
