import { isBuiltin } from 'node:module';
import type { OutputChunk } from 'rolldown';
import { expect, test, vi } from 'vitest';
import { openServerBundle } from './build.mjs';

// It reads the whole server.
vi.setConfig({ testTimeout: 120_000 });

/** Files of the bundle that a start reads: the program, its two threads' and what they share with each other and with the processes that read documents. */
const MOST_CHUNKS = 17;

/** What only some nodes, settings or requests use. */
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

test('a start loads no package that only some nodes, settings or requests use', async () => {
  const bundle = await openServerBundle();
  const { output } = await bundle.generate({ format: 'esm', entryFileNames: '[name].js' });
  await bundle.close();
  const chunks = new Map(
    output
      .filter((part): part is OutputChunk => part.type === 'chunk')
      .map((chunk) => [chunk.fileName, chunk] as const),
  );
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
