import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldMeta, type Json, type JsonObject, NodeFailure, nameOfField } from '@millrace/engine';
import type { CredentialType } from '@millrace/engine/credential';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { catalog } from './catalog.ts';
import { collectCredentialTypes, credentialTypes } from './credentials.ts';
import { guideExamples, renderNodeGuide, toFolderName } from './guide.ts';
import { implementations, receivers } from './runtime.ts';
import { runNode, type Situation, startNode } from './testing/run-node.ts';

const SOURCE = import.meta.dirname;
const NO_NODES = new Set(['kit', 'testing', 'texts']);
const FAMILIES = ['trigger', 'flow', 'data', 'output', 'network', 'note', 'integration', 'ai'];
const folders = readdirSync(SOURCE, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !NO_NODES.has(entry.name))
  .map((entry) => entry.name);
const listFiles = (folder: string) => readdirSync(join(SOURCE, folder));
/** An integration may begin with its credential type, so that people can store credentials for their HTTP nodes. */
const hasNode = (folder: string) =>
  listFiles(folder).some((name) => !['credential.ts', 'de.json'].includes(name));
const readGuide = (type: string) => readFileSync(join(SOURCE, toFolderName(type), 'guide.md'), 'utf8');

const isCredentialType = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'masked' in value && 'fields' in value;

/** Values that a stored document may hold where a parameter is expected. */
const HOSTILE: Json[] = [
  null,
  true,
  -1,
  1e308,
  '',
  '$',
  '$a(',
  '\0',
  '\ud800',
  'x'.repeat(100_000),
  [],
  [null],
  {},
  { length: -1 },
  JSON.parse('{"__proto__": {"a": 1}, "constructor": 5}'),
  Array.from({ length: 10_000 }, () => '$x'),
];

test('every folder of a node type is in the catalogue, and nothing else is', () => {
  expect(catalog.all.map(({ type }) => toFolderName(type)).sort()).toEqual(folders.filter(hasNode).sort());
});

test('every credential type is declared in one folder, which the list of types knows', async () => {
  const declared: CredentialType[] = [];
  for (const folder of folders.filter((name) => listFiles(name).includes('credential.ts'))) {
    const exported: Record<string, unknown> = await import(`./${folder}/credential.ts`);
    declared.push(...(Object.values(exported).filter(isCredentialType) as CredentialType[]));
  }
  const names = (types: readonly CredentialType[]) => types.map(({ type }) => type).sort();
  expect(names(credentialTypes)).toEqual(names(declared));
});

test('two credential types of one name are refused', () => {
  const [first] = credentialTypes;
  expect(() => collectCredentialTypes(catalog, first ? [{ ...first }, first] : [])).toThrow('declared twice');
});

test('every type that runs has an implementation of its own definition, and no other has one', () => {
  const running = catalog.all.filter(({ traits }) => traits.schedule !== 'never');
  expect([...implementations.values()].map(({ definition }) => definition)).toEqual(running);
});

describe.each(catalog.all.map((definition) => [definition.type, definition] as const))(
  '%s',
  (type, definition) => {
    test('has its files', () => {
      const names = readdirSync(join(SOURCE, toFolderName(type)));
      const needed = definition.traits.schedule === 'never' ? [] : ['run.ts', 'run.test.ts'];
      expect(names).toEqual(expect.arrayContaining(['definition.ts', 'guide.md', ...needed]));
    });

    test('describes itself for palette and assistant', () => {
      expect(definition.title).toMatch(/^\S.{0,39}$/);
      expect(definition.summary).toMatch(/^[A-Z].{10,98}\.$/);
      if (typeof definition.icon === 'string') expect(definition.icon).toMatch(/^[a-z0-9-]+$/);
      expect(FAMILIES).toContain(definition.family);
    });

    test('has defaults that parse, for the run and for the editor', () => {
      expect(definition.params.safeParse({})).toMatchObject({ success: true });
      const { label: _label, ...initial } = definition.initial;
      for (const key of Object.keys(initial)) expect(Object.keys(definition.params.shape)).toContain(key);
    });

    test('has a field description and a title for every parameter', () => {
      const shape: Record<string, z.ZodType> = definition.params.shape;
      for (const schema of Object.values(shape)) {
        const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
        expect(text).toContain('"field":{');
        expect(text).toMatch(/"title":"[^"]+"/);
      }
    });

    test('has ports and an effect for any stored data', () => {
      for (const key of [...Object.keys(definition.params.shape), 'label']) {
        for (const value of HOSTILE) {
          const data = { [key]: value };
          const { inputs, outputs } = definition.ports(data);
          expect(inputs.length + outputs.length).toBeLessThan(500);
          const { effect } = definition;
          expect(['pure', 'read', 'idempotent', 'unsafe', 'steps']).toContain(
            typeof effect === 'function' ? effect(data) : effect,
          );
        }
      }
    });

    test('ends hostile parameters with a result or a failure that names one', async () => {
      if (definition.traits.schedule === 'never') return;
      for (const key of Object.keys(definition.params.shape)) {
        for (const value of HOSTILE) {
          const result = await runNode(type, { [key]: value }, { inputs: { start: { text: 'x' } } });
          expect('output' in result || 'failure' in result).toBe(true);
          if (!('failure' in result) || result.failure.kind !== 'params') continue;
          const { field: path = '', message } = result.failure;
          const schema: z.ZodType | undefined = definition.params.shape[path.split('.')[0] ?? ''];
          // The advice on what to enter into an empty field is a sentence of its own.
          if (schema && fieldMeta(schema)?.when_empty === message) continue;
          expect(message).toMatch(toStartPattern(`${nameOfField(schema, path)}: `));
          expect(message).not.toContain(`: ${path}: `);
        }
      }
    });

    test('returns at once when it is pure', () => {
      if (definition.effect !== 'pure' || definition.traits.schedule === 'never') return;
      expect(atOnce(() => startNode(type, definition.initial).returned)).not.toBeInstanceOf(Promise);
    });

    test('has a guide that explains every parameter', () => {
      const guide = readGuide(type);
      for (const key of Object.keys(definition.params.shape)) expect(guide).toContain(`\`${key}\``);
      expect(guide).toMatch(/^## When to use it$/m);
    });

    test('has a guide with an example that runs as it says', async () => {
      const examples = guideExamples(readGuide(type));
      expect(examples.length).toBeGreaterThan(0);
      for (const { data, result, ...situation } of examples) {
        expect(definition.params.strip().safeParse(withoutExpressions(data))).toMatchObject({
          success: true,
        });
        if (definition.traits.schedule === 'never') continue;
        expect(await runNode(type, data, situation as Situation)).toEqual(result);
      }
    });

    test('has an output that its schema accepts', async () => {
      const [example] = guideExamples(readGuide(type));
      const output = (example?.['result'] as { output?: unknown } | undefined)?.output;
      if (!definition.output || output === undefined || definition.traits.loop) return;
      expect(definition.output.safeParse(output)).toMatchObject({ success: true });
    });

    test('has a documentation page', () => {
      const page = renderNodeGuide(definition, readGuide(type));
      expect(page).toContain(`# ${definition.title}`);
      expect(page).toContain('## Reference');
      expect(page.endsWith('\n')).toBe(true);
    });
  },
);

/** The value that a node returned; one that refuses its parameters at once has returned nothing. */
function atOnce<T>(start: () => T): T | undefined {
  try {
    return start();
  } catch (error) {
    if (error instanceof NodeFailure) return undefined;
    throw error;
  }
}

const toStartPattern = (text: string): RegExp => new RegExp(`^${text.replace(/[^\w\s]/g, '\\$&')}`);

/** Parameters that hold references are checked by the run; the others must have their stored shape. */
function withoutExpressions(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).filter(([, value]) => typeof value !== 'string' || !value.includes('$')),
  );
}

test('a failure of a node is one that users can read', () => {
  expect(() => startNode('variable', { variableName: '__proto__' })).toThrow(NodeFailure);
});

test('every type that something outside fires has a receiver of its kind', () => {
  const fired = catalog.all.filter(({ receives }) => typeof receives === 'string');
  expect(fired.map(({ type, receives }) => [type, receives])).toEqual(
    fired.map(({ type }) => [type, receivers.get(type)?.kind]),
  );
});

test('§2.7: a credential type is offered when a node, a model or the start of a workflow can use it', () => {
  const withNode = new Set(catalog.all.flatMap(({ credentials }) => credentials.map(({ type }) => type)));
  const unused = credentialTypes.filter(({ type, is_offered = true }) => is_offered && !withNode.has(type));
  expect(unused.map(({ type }) => type)).toEqual(['model_router']);
});

test('an operation that can only fail is read from exports and not offered', () => {
  const operation = catalog.get('converter')?.params.shape['conversion'];
  expect(operation?.safeParse('imageToText').success).toBe(true);
  const offered = operation && fieldMeta(operation)?.choices?.map(({ value }) => value);
  expect(offered).toContain('pdfToText');
  expect(offered).not.toContain('imageToText');
});
