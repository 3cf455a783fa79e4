import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCatalog, describe as describeNode } from '@millrace/engine';
import { expect, test } from 'vitest';
import { catalog } from '../catalog.ts';
import { collectCredentialTypes } from '../credentials.ts';
import { notesCredential } from './notes/credential.ts';
import { notes } from './notes/definition.ts';

const SOURCE = join(import.meta.dirname, '..');
const ROOT = join(SOURCE, '../../..');

test.each(['credential.ts', 'definition.ts', 'run.ts'])(
  'CONTRIBUTING shows %s of the sample as it is',
  (file) => {
    const written = readFileSync(join(import.meta.dirname, 'notes', file), 'utf8').replaceAll(
      "'../../",
      "'../",
    );
    expect(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')).toContain(`\`\`\`ts\n${written}\`\`\``);
  },
);

test('an integration is named by the two generated lists and by nothing else of the package', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  for (const folder of ['grist', 'send-email']) {
    const importers = files.filter(
      (name) =>
        !name.startsWith(`${folder}/`) && readFileSync(join(SOURCE, name), 'utf8').includes(`/${folder}/`),
    );
    expect(importers.sort()).toEqual(['definitions.generated.ts', 'implementations.generated.ts']);
  }
});

const extended = createCatalog([...catalog.all, notes]);

test('its definition brings form, credential type and connection test', () => {
  expect(collectCredentialTypes(extended, [])).toContain(notesCredential);
  const config = { base_url: 'https://notes.example/', token: 't' };
  expect(notesCredential.connect?.(config)).toEqual({
    base_url: 'https://notes.example/api',
    headers: { authorization: 'Bearer t' },
  });
  const { params } = describeNode(notes);
  expect(params.map(({ name }) => name)).toEqual([
    'credentialId',
    'notesOperation',
    'notesLimit',
    'notesBook',
    'notesText',
    'onUnknownOutcome',
  ]);
  expect(params.find(({ name }) => name === 'notesText')?.field?.shown_when).toEqual([
    { field: 'notesOperation', is: ['createNote'] },
  ]);
});
