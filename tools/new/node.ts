import { markUntranslated, UNTRANSLATED } from '../structure/translations.ts';
import type { Edits } from './edit.ts';
import type { Names } from './names.ts';

const NODES = 'packages/nodes/src';
const CASES = 'e2e/smoke/cases';

/** The texts of the sample are about the sample: none of its translations is one of the new texts. */
function markTranslations(edits: Edits, { kebab }: Names): void {
  const path = `${NODES}/${kebab}/de.json`;
  const texts = Object.keys(JSON.parse(edits.read(path)) as Record<string, string>);
  const marked = Object.fromEntries(texts.map((text) => [text, markUntranslated(text)]));
  edits.replace(path, `${JSON.stringify(marked, null, 2)}\n`);
}

/** A node type like `packages/nodes/src/testing/word-count`. */
export function addNode(edits: Edits, names: Names): string {
  const { kebab, camel, pascal, title } = names;
  edits.copyFolder(`${NODES}/testing/word-count`, `${NODES}/${kebab}`, (text) =>
    text.replaceAll('wordCount', camel).replaceAll('WordCount', pascal).replaceAll('Word count', title),
  );
  markTranslations(edits, names);
  return `Change the definition, the function and the guide in ${NODES}/${kebab}, whose example also runs in the built product, and replace the German texts that begin with "${UNTRANSLATED}": the checks refuse them; its icon is a name of apps/web/src/ui/display/glyphs.ts.`;
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
  markTranslations(edits, names);
  edits.append(`${CASES}/integrations.ts`, 'export const integrationCases', serviceCase(names));
  edits.append(
    `${CASES}/credentials.ts`,
    'export const credentialConfigs',
    `  ${camel}: { base_url: 'http://127.0.0.1:9', token: 'token-0123456789' },`,
  );
  return `Change the credential, the operations and their calls in ${NODES}/${kebab}, its case in ${CASES}/integrations.ts and its configuration in ${CASES}/credentials.ts, which run it in the built product, and replace the German texts that begin with "${UNTRANSLATED}": the checks refuse them. CONTRIBUTING explains each file.`;
}

/** One operation of the sample against a server that knows its credential, in the built product. */
const serviceCase = ({ camel, kebab }: Names): string => `  async ${camel}({ store, runNode }) {
    const token = 'token-of-${kebab}';
    const { url } = await serveRoutes(
      { 'GET /api/notes': { body: [{ id: 1 }] } },
      { authorization: \`Bearer \${token}\` },
    );
    const credentialId = await store('${camel}', { base_url: url, token });
    const output = await runNode('${camel}', { credentialId, ${camel}Operation: 'listNotes' });
    expect(output).toEqual({ notes: [{ id: 1 }], count: 1 });
  },`;
