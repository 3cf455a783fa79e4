import { markUntranslated, UNTRANSLATED } from '../structure/translations.ts';
import type { Edits } from './edit.ts';
import { type Names, singular } from './names.ts';
import { fromTemplate } from './template.ts';

const WEB = 'apps/web/src';
const ROUTES = `${WEB}/routes.tsx`;
const DESTINATIONS = `${WEB}/shell/destinations.ts`;

const LANGUAGES = ['en', 'de'] as const;
type Language = (typeof LANGUAGES)[number];

const textIn = (language: Language, text: string): string =>
  language === 'en' ? text : markUntranslated(text);

/** A page with an address, a place in the navigation, its texts and a journey; it lists the resource of its name. */
export function addScreen(edits: Edits, names: Names): string {
  const { kebab, camel, pascal, snake } = names;
  const list = listedResource(edits, names);
  const template = (name: string) => fromTemplate(`screen/${name}`, { many: names, one: list ?? names });
  const page = `./pages/${kebab}/${kebab}-page.tsx`;
  const kind = list === undefined ? '' : 'list-';
  edits.create(`${WEB}/pages/${kebab}/${kebab}-page.tsx`, template(`${kind}page.tsx`));
  edits.create(`e2e/journeys/${kebab}.spec.ts`, template(`${kind}journey.ts`));
  if (list !== undefined) edits.create(`${WEB}/data/${kebab}.ts`, template('list-data.ts'));

  edits.insertBefore(
    ROUTES,
    'const tree =',
    `const ${camel} = createRoute({
  getParentRoute: () => signedIn,
  path: '/${kebab}',
  component: lazyRouteComponent(() => import('${page}'), '${pascal}Page'),
});

`,
  );
  edits.insertBefore(ROUTES, '    settings,\n', `    ${camel},\n`);
  const key = freeKey(edits.read(DESTINATIONS), kebab);
  edits.insertBefore(DESTINATIONS, "  | 'settings';", `  | '${snake}'\n`);
  edits.insertBefore(DESTINATIONS, "    | '/settings';", `    | '/${kebab}'\n`);
  edits.insertBefore(
    DESTINATIONS,
    "      { name: 'settings'",
    `      { name: '${snake}', to: '/${kebab}', icon: LayoutGrid, key: '${key}' },\n`,
  );
  if (!edits.read(DESTINATIONS).includes('  LayoutGrid,\n'))
    edits.insertBefore(DESTINATIONS, '  type LucideIcon,', '  LayoutGrid,\n');
  const texts = `${WEB}/pages/${kebab}/texts`;
  for (const language of LANGUAGES) {
    const page_texts = Object.entries(pageTexts(names, list !== undefined)).map(([key, text]) => [
      key,
      textIn(language, text),
    ]);
    edits.create(`${texts}/${language}.json`, json(Object.fromEntries(page_texts)));
    addToNavigation(edits, language, names);
  }
  edits.insertBefore(
    'e2e/journeys/screens/resources.screens.ts',
    "  ['audit', '/audit'],",
    `  ['${kebab}', '/${kebab}'],\n`,
  );
  return `Change the page in ${WEB}/pages/${kebab}, its texts beside it, its group and icon in ${DESTINATIONS}. Replace the German texts
that begin with "${UNTRANSLATED}", also in ${WEB}/messages/de.json: the checks refuse them.
\`npm test -- browser ${kebab}\` runs its journey, \`npm test -- screens resources\` takes its picture.`;
}

/** The resource that the screen is about, by its contract: the name of one of its things. */
function listedResource(edits: Edits, names: Names): Names | undefined {
  const contract = `packages/contracts/src/${names.kebab}.ts`;
  if (!edits.exists(contract)) return undefined;
  const hasList = edits.read(contract).includes(`export const list${names.pascal} = endpoint(`);
  return hasList ? singular(names) : undefined;
}

/** Texts of the page, until someone writes better ones. */
function pageTexts({ title, kebab }: Names, isList: boolean): Record<string, string> {
  if (!isList)
    return {
      title,
      none: 'Nothing here yet',
      none_hint: 'Say what this place is for, and what to do next.',
    };
  return {
    title,
    created: 'Created',
    none: `No ${title.toLowerCase()} yet`,
    none_hint: `Send a name to POST /api/${kebab}, and it is listed here.`,
  };
}

/** The first letter of the name that no other place has, else any. */
function freeKey(destinations: string, kebab: string): string {
  const taken = new Set([...destinations.matchAll(/key: '(.)'/g)].map(([, key]) => key));
  const free = `${kebab}abcdefghijklmnopqrstuvwxyz`.match(/[a-z]/g)?.find((key) => !taken.has(key));
  if (free === undefined) throw new Error('every key of the navigation is taken');
  return free;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function addToNavigation(edits: Edits, language: Language, { snake, title }: Names): void {
  const path = `${WEB}/messages/${language}.json`;
  const messages = JSON.parse(edits.read(path)) as Record<string, Record<string, unknown>>;
  if (Object.hasOwn(messages['nav'] ?? {}, snake)) throw new Error(`${path} has the place "${snake}"`);
  edits.replace(path, json({ ...messages, nav: { ...messages['nav'], [snake]: textIn(language, title) } }));
}
