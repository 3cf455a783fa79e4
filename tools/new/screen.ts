import type { Edits } from './edit.ts';
import type { Names } from './names.ts';
import { fromTemplate } from './template.ts';

const WEB = 'apps/web/src';
const ROUTES = `${WEB}/routes.tsx`;
const DESTINATIONS = `${WEB}/shell/destinations.ts`;

/** Texts of the page by language, until someone writes better ones. */
const TEXTS = {
  en: { none: 'Nothing here yet', none_hint: 'Say what this place is for, and what to do next.' },
  de: {
    none: 'Noch nichts hier',
    none_hint: 'Hier steht, wozu dieser Ort dient und was als Nächstes zu tun ist.',
  },
} as const;

/** A page with an address, a place in the navigation, its texts and a journey. */
export function addScreen(edits: Edits, names: Names): string {
  const { kebab, camel, pascal, snake } = names;
  const page = `./pages/${kebab}/${kebab}-page.tsx`;
  edits.create(`${WEB}/pages/${kebab}/${kebab}-page.tsx`, fromTemplate('screen/page.tsx', names));
  edits.create(`e2e/journeys/${kebab}.spec.ts`, fromTemplate('screen/journey.ts', names));

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
  edits.create(`${texts}/use-${kebab}-texts.ts`, fromTemplate('screen/texts.ts', names));
  for (const language of ['en', 'de'] as const) {
    edits.create(`${texts}/${language}.json`, json({ title: names.title, ...TEXTS[language] }));
    addToNavigation(edits, language, names);
  }
  edits.insertBefore(
    'e2e/journeys/screens/resources.screens.ts',
    "  ['audit', '/audit'],",
    `  ['${kebab}', '/${kebab}'],\n`,
  );
  edits.insertBefore(
    'tools/check/tests.ts',
    "  'apps/web/src/pages/auth':",
    `  'apps/web/src/pages/${kebab}': ['${kebab}'],\n`,
  );
  return `Change the page in ${WEB}/pages/${kebab}, its texts in both languages beside it, its group and icon in ${DESTINATIONS}.
\`npm test -- browser ${kebab}\` runs its journey, \`npm test -- screens resources\` takes its picture.`;
}

/** The first letter of the name that no other place has, else any. */
function freeKey(destinations: string, kebab: string): string {
  const taken = new Set([...destinations.matchAll(/key: '(.)'/g)].map(([, key]) => key));
  const free = `${kebab}abcdefghijklmnopqrstuvwxyz`.match(/[a-z]/g)?.find((key) => !taken.has(key));
  if (free === undefined) throw new Error('every key of the navigation is taken');
  return free;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function addToNavigation(edits: Edits, language: keyof typeof TEXTS, { snake, title }: Names): void {
  const path = `${WEB}/messages/${language}.json`;
  const messages = JSON.parse(edits.read(path)) as Record<string, Record<string, unknown>>;
  if (Object.hasOwn(messages['nav'] ?? {}, snake)) throw new Error(`${path} has the place "${snake}"`);
  edits.replace(path, json({ ...messages, nav: { ...messages['nav'], [snake]: title } }));
}
