import { isBuiltin } from 'node:module';
import { runInNewContext } from 'node:vm';
import type { OutputChunk } from 'rolldown';
import { beforeAll, expect, test, vi } from 'vitest';
import { openServerBundle, withoutUnicode } from './build.mjs';

// It reads the whole server.
vi.setConfig({ hookTimeout: 120_000 });

/** Files of the bundle that a start reads: the program, its two threads' and what they share with each other and with the processes that read documents. */
const MOST_CHUNKS = 17;

/** Modules that only some nodes, settings or requests use. */
const ON_DEMAND = [
  /^@aws-sdk\//,
  /^@opentelemetry\//,
  /^@fastify\/swagger/,
  /^@modelcontextprotocol\//,
  /^@ai-sdk\/(?!provider$)/,
  /^@babel\//,
  /^(amqplib|cheerio|file-type|imapflow|mammoth|marked|mysql2|nodemailer|papaparse|postal-mime|turndown|unpdf|ws|yaml)(\/|$)/,
  /^(read|write)-excel-file(\/|$)/,
];

let chunks: ReadonlyMap<string, OutputChunk>;
beforeAll(async () => {
  const bundle = await openServerBundle();
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    comments: false,
  });
  await bundle.close();
  chunks = new Map(
    output
      .filter((part): part is OutputChunk => part.type === 'chunk')
      .map((chunk) => [chunk.fileName, chunk] as const),
  );
});

test('the bundle is ASCII, of which V8 keeps one byte per character', () => {
  const others = [...chunks.values()].filter(({ code }) => /[^\0-\x7F]/.test(code));
  expect(others.map(({ fileName }) => fileName)).toEqual([]);
});

test.each([
  ['a text', `'é 😀 \u2028'`],
  ['a template', '`…${1}`'],
  ['a regular expression', '/^[–—]$/u.test("–")'],
  ['what stands behind an escaped backslash', String.raw`'\\é'`],
  ['what stands behind a raw template', String.raw`String.raw${'`\\w`'} + 'é'`],
])('%s has the same meaning with escapes', (_, code) => {
  const escaped = withoutUnicode(code);
  expect(escaped).toMatch(/^[\0-\x7F]*$/);
  expect(runInNewContext(escaped)).toBe(runInNewContext(code));
});

test.each([
  ['behind a backslash', String.raw`'\é'`],
  ['behind a backslash that follows an escaped one', String.raw`'\\\é'`],
  ['in a raw template', 'String.raw`\\w – é`'],
])('a character outside ASCII is refused %s', (_, code) => {
  expect(() => withoutUnicode(code)).toThrow('an escape would change what this means');
});

test('a start loads no package that only some nodes, settings or requests use', () => {
  const loaded = new Set<string>();
  const load = (name: string) => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const imported of chunks.get(name)?.imports ?? []) load(imported);
  };
  // A start imports the server itself dynamically, while the database opens.
  const serve = [...chunks.values()].find(({ facadeModuleId }) =>
    facadeModuleId?.endsWith('/src/startup/serve.ts'),
  );
  for (const name of ['main.js', 'engine-thread.js', serve?.fileName ?? 'serve']) load(name);
  const packages = [...loaded].filter((name) => !chunks.has(name));
  expect(packages).toEqual(expect.arrayContaining(['@node-rs/argon2', '@electric-sql/pglite']));
  expect(packages.filter((name) => ON_DEMAND.some((pattern) => pattern.test(name)))).toEqual([]);
  // Each file of its own and each package outside of the bundle is looked for and read when the program starts.
  expect(packages.filter((name) => !isBuiltin(name)).toSorted()).toEqual([
    '@electric-sql/pglite',
    '@electric-sql/pglite-pgvector',
    '@node-rs/argon2',
  ]);
  expect([...loaded].filter((name) => chunks.has(name)).length).toBeLessThanOrEqual(MOST_CHUNKS);
});
