import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { camelCase, pascalCase } from '../../new/names.ts';
import { type Declaring, getPlace, inFolders, inOrder, listModule, namesIn } from './read.ts';

const WEB = 'apps/web/src';
const PAGES = `${WEB}/pages`;
const LANGUAGES = ['en', 'de'] as const;

/** Places in the order of the navigation; those that are not named here follow in their group. */
const ORDER = `
  home templates files data-tables boards
  runs inbox analytics assistant traces evals triggers schedules
  credentials variables vector-stores skills mcp
  teams audit settings
`;

const PLACE = /^export const (\w+): Place = \{/gm;

const said = (text: string, key: 'name' | 'to'): string | undefined =>
  new RegExp(`^  ${key}: '([^']+)'`, 'm').exec(text)?.[1];

const readName = ({ place, text }: Declaring): string => said(text, 'name') ?? place.replaceAll('-', '_');
const getPagePath = ({ place, text }: Declaring): string => said(text, 'to') ?? `/${place}`;

function readLabel(root: string, { place }: Declaring, language: (typeof LANGUAGES)[number]): string {
  const path = `${PAGES}/${place}/texts/${language}.json`;
  const texts = existsSync(join(root, path))
    ? (JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>)
    : {};
  const label = texts['in_navigation'] ?? texts['title'];
  if (typeof label !== 'string') throw new Error(`${path} must have the text "in_navigation" or "title"`);
  return label;
}

const labels = (
  root: string,
  places: readonly Declaring[],
  language: (typeof LANGUAGES)[number],
): [path: string, text: string] => [
  `${WEB}/messages/places/${language}.json`,
  `${JSON.stringify(Object.fromEntries(places.map((each) => [readName(each), readLabel(root, each, language)])), null, 2)}\n`,
];

function renderRoute(each: Declaring, searches: ReadonlySet<string>): string[] {
  const { place } = each;
  const search = `${camelCase(place)}Search`;
  return [
    '  createRoute({',
    '    getParentRoute: () => signedIn,',
    `    path: '${getPagePath(each)}',`,
    ...(searches.has(search) ? [`    validateSearch: ${search},`] : []),
    `    component: lazyPage(() => import('../pages/${place}/${place}-page.tsx'), '${pascalCase(place)}Page'),`,
    '  }),',
  ];
}

/** The entries that the navigation shows of every page with a place, the names that people read, and the routes. */
export function placeLists(root: string): [path: string, text: string][] {
  const found = inFolders(root, PAGES, 'place.ts', PLACE);
  const places = inOrder(found, namesIn(ORDER), getPlace, `${PAGES}/<name>/place.ts`);
  const declared = readFileSync(join(root, WEB, 'search.ts'), 'utf8').matchAll(
    /^export const (\w+Search)\b/gm,
  );
  const all = new Set([...declared].map(([, name = '']) => name));
  const searches = new Set(
    places.map(({ place }) => `${camelCase(place)}Search`).filter((name) => all.has(name)),
  );
  return [
    [
      `${WEB}/shell/places/places.generated.ts`,
      listModule(
        ...found.map(({ name, place }) => `import { ${name} } from '../../pages/${place}/place.ts';`),
        '',
        'export const places = [',
        ...places.map(
          (each) => `  { ...${each.name}, name: '${readName(each)}', to: '${getPagePath(each)}' },`,
        ),
        '] as const;',
      ),
    ],
    [
      `${WEB}/routes/places.generated.ts`,
      listModule(
        "import { createRoute } from '@tanstack/react-router';",
        `import { ${[...searches].sort().join(', ')} } from '../search.ts';`,
        "import { lazyPage } from './lazy-page.ts';",
        "import { signedIn } from './signed-in.tsx';",
        '',
        'export const placeRoutes = [',
        ...places.flatMap((each) => renderRoute(each, searches)),
        '] as const;',
      ),
    ],
    ...LANGUAGES.map((language) => labels(root, places, language)),
  ];
}
