import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldMeta, translateCatalog } from '@millrace/engine';
import { translateCredential } from '@millrace/engine/credential';
import { describe, expect, it } from 'vitest';
import { catalog } from '../catalog.ts';
import { credentialTypes } from '../credentials.ts';

const SOURCES = join(import.meta.dirname, '..');

interface Entry {
  readonly text: string;
  readonly translation: string;
  readonly folder: string;
}

/** Entries of `de.json` in all folders; a text that several folders have is in that of `texts`. */
const entries: Entry[] = readdirSync(SOURCES).flatMap((folder) => {
  let file: string;
  try {
    file = readFileSync(join(SOURCES, folder, 'de.json'), 'utf8');
  } catch {
    return [];
  }
  return Object.entries(JSON.parse(file) as Record<string, string>).map(([text, translation]) => ({
    text,
    translation,
    folder,
  }));
});

const known = new Map(entries.map(({ text, translation }) => [text, translation]));
const german = (text: string) => known.get(text) ?? text;

/** Every text of the definitions, as the web app looks it up. */
function textsOfDefinitions() {
  const texts = new Set<string>();
  const examples = new Set<string>();
  const collect = (text: string, kind: 'text' | 'example') => {
    (kind === 'text' ? texts : examples).add(text);
    return text;
  };
  translateCatalog(catalog, collect);
  for (const type of credentialTypes) translateCredential(type, collect);
  return { texts, examples };
}

describe('German texts of node and credential types', () => {
  const { texts, examples } = textsOfDefinitions();

  it('are there for every text of the definitions (add the English text and its translation to de.json)', () => {
    expect([...texts].filter((text) => !known.has(text))).toEqual([]);
  });

  it('have no entry that no definition uses any more', () => {
    const stale = entries.filter(({ text }) => !texts.has(text) && !examples.has(text));
    expect(stale.map(({ folder, text }) => `${folder}: ${text}`)).toEqual([]);
  });

  it('have one entry for each text, which is not empty', () => {
    const twice = entries.filter(({ text }, at) => entries.findIndex((other) => other.text === text) < at);
    expect(twice.map(({ folder, text }) => `${folder}: ${text}`)).toEqual([]);
    expect(entries.filter(({ translation }) => translation.trim() === '')).toEqual([]);
  });
});

describe('a translated catalogue', () => {
  const translated = translateCatalog(catalog, german);

  it('has the texts of the language in titles, forms and credentials', () => {
    const http = translated.get('http');
    expect(http?.title).toBe('HTTP-Anfrage');
    expect(http && fieldMeta(http.params.shape['curl'])?.title).toBe('Anfrage');
    const email = translated.get('sendEmail')?.credentials[0]?.fields.map(({ label }) => label);
    expect(email).toContain('Absenderadresse');
  });

  it('leaves the original and what the nodes do as they are', () => {
    expect(catalog.get('http')?.title).toBe('HTTP Request');
    for (const { type, params, initial } of catalog.all) {
      const other = translated.get(type)?.params;
      expect(other?.safeParse(initial).success, type).toBe(params.safeParse(initial).success);
      expect(Object.keys(other?.shape ?? {}), type).toEqual(Object.keys(params.shape));
      expect(other?.safeParse({}).data, type).toEqual(params.safeParse({}).data);
    }
  });
});
