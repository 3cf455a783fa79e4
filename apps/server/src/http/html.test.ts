import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { escaped, sendPlainPage } from './html.ts';

const TOKENS = new URL('../../../web/src/styles/tokens.css', import.meta.url);

async function renderPage(title: string, body: string): Promise<string> {
  const app = Fastify();
  app.get('/', (_request, reply) => sendPlainPage(reply, 200, { title, body }));
  return (await app.inject('/')).body;
}

/** Values of the colours of a block, by name. */
const coloursIn = (block: string): Map<string, string> =>
  new Map(
    [...block.matchAll(/--([a-z-]+): (oklch\([^)]*\));/g)].map(([, name = '', value = '']) => [name, value]),
  );

test('the title is escaped', async () => {
  const page = await renderPage('<img src=x>', `<p>${escaped('"&\'')}</p>`);
  expect(page).toContain('<h1>&lt;img src=x&gt;</h1><p>&quot;&amp;&#39;</p>');
  expect(page).not.toContain('<img');
});

test('both themes have the colours of the web app', async () => {
  const tokens = readFileSync(TOKENS, 'utf8');
  const page = await renderPage('x', '');
  const [, light = '', dark = ''] = /:root {([^}]*)}[^]*?:root {([^}]*)}/.exec(page) ?? [];
  for (const [theme, block] of Object.entries({ light, dark })) {
    const start = tokens.indexOf(`:root[data-theme="${theme}"]`);
    const all = coloursIn(tokens.slice(start, tokens.indexOf('}', start)));
    const used = coloursIn(block);
    expect(used.size).toBeGreaterThan(10);
    for (const [name, value] of used) expect(all.get(name), `${name} of ${theme}`).toBe(value);
  }
});
