import { markUntranslated, UNTRANSLATED } from '../structure/translations.ts';
import type { Edits } from './edit.ts';
import { type Names, singular } from './names.ts';
import { fromTemplate } from './template.ts';

const WEB = 'apps/web/src';
const PAGES = `${WEB}/pages`;

const LANGUAGES = ['en', 'de'] as const;
type Language = (typeof LANGUAGES)[number];

const textIn = (language: Language, text: string): string =>
  language === 'en' ? text : markUntranslated(text);

/** A page with a place in the navigation, its texts and a journey; it lists the resource of its name. */
export function addScreen(edits: Edits, names: Names): string {
  const { kebab } = names;
  const list = listedResource(edits, names);
  const template = (name: string) => fromTemplate(`screen/${name}`, { many: names, one: list ?? names });
  const folder = `${PAGES}/${kebab}`;
  const kind = list === undefined ? '' : 'list-';
  edits.create(`${folder}/${kebab}-page.tsx`, template(`${kind}page.tsx`));
  edits.create(`${folder}/place.ts`, template('place.ts').replace('FREE_KEY', freeKey(edits, kebab)));
  edits.create(`e2e/journeys/${kebab}.spec.ts`, template(`${kind}journey.ts`));
  if (list !== undefined) edits.create(`${WEB}/data/${kebab}.ts`, template('list-data.ts'));
  for (const language of LANGUAGES) {
    const texts = Object.entries(pageTexts(names, list !== undefined)).map(([key, text]) => [
      key,
      textIn(language, text),
    ]);
    edits.create(`${folder}/texts/${language}.json`, json(Object.fromEntries(texts)));
  }
  return `Change the page in ${folder}, its texts beside it, its group and icon in place.ts. Replace the German texts
that begin with "${UNTRANSLATED}": the checks refuse them. Then \`npm run generate\`: its title is its name in the navigation, too.
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
function freeKey(edits: Edits, kebab: string): string {
  const places = edits.list(PAGES).map((name) => `${PAGES}/${name}/place.ts`);
  const texts = places.filter((path) => edits.exists(path)).map((path) => edits.read(path));
  const taken = new Set(texts.map((text) => /key: '(.)'/.exec(text)?.[1]));
  const free = `${kebab}abcdefghijklmnopqrstuvwxyz`.match(/[a-z]/g)?.find((key) => !taken.has(key));
  if (free === undefined) throw new Error('every key of the navigation is taken');
  return free;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
