import { existsSync, readdirSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { pascalCase } from '../../new/names.ts';
import { listModule } from './read.ts';

const WEB = 'apps/web/src';

/** Names of hooks where that of the folder would clash with another hook in the same file. */
const NAMES: Readonly<Record<string, string>> = {
  [`${WEB}/pages/skills`]: 'library',
};

/** Folders that have texts in both languages. */
const foldersWithTexts = (root: string): string[] =>
  readdirSync(join(root, WEB), { recursive: true, encoding: 'utf8' })
    .map((path) => `${WEB}/${path.replaceAll('\\', '/')}`)
    .filter(
      (path) => path.endsWith('/texts/en.json') && existsSync(join(root, posix.dirname(path), 'de.json')),
    )
    .map((path) => posix.dirname(posix.dirname(path)))
    .sort();

/** The hook that reads the texts of a folder, which load with the code that imports it. */
export const textHooks = (root: string): [path: string, text: string][] =>
  foldersWithTexts(root).map((folder) => {
    const texts = `${folder}/texts`;
    const name = NAMES[folder] ?? basename(folder);
    return [
      `${texts}/use-${name}-texts.ts`,
      listModule(
        `import { defineTexts } from '${posix.relative(texts, `${WEB}/i18n/texts.ts`)}';`,
        '',
        `export const use${pascalCase(name)}Texts = defineTexts({`,
        "  en: () => import('./en.json'),",
        "  de: () => import('./de.json'),",
        '});',
      ),
    ];
  });
