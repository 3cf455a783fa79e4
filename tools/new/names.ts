/** A name in the spellings that files, code and texts use. */
export interface Names {
  /** `open-meteo`: folders and addresses. */
  readonly kebab: string;
  /** `openMeteo`: node types and variables. */
  readonly camel: string;
  /** `OpenMeteo`: functions and types. */
  readonly pascal: string;
  /** `open_meteo`: columns and keys of texts. */
  readonly snake: string;
  /** `Open meteo`: what people read. */
  readonly title: string;
}

const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const LONGEST = 40;
/** Words that TypeScript reads as something else. */
const TAKEN = new Set(
  `await break case catch class const continue debugger default delete do else enum export extends false finally for function if
  import in instanceof interface let new null package private protected public return static super switch this throw true try
  typeof undefined var void while with yield`.split(/\s+/),
);

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const pascalCase = (kebab: string): string => kebab.split('-').map(capital).join('');

export function camelCase(kebab: string): string {
  const pascal = pascalCase(kebab);
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}

/** Throws with a sentence about a name that cannot be used. */
export function deriveNames(kebab: string): Names {
  if (!KEBAB.test(kebab) || kebab.length > LONGEST) {
    throw new Error(`"${kebab}" is no name: lower-case words joined by hyphens, such as word-count`);
  }
  if (TAKEN.has(kebab)) throw new Error(`"${kebab}" is a word of TypeScript; choose another name`);
  const words = kebab.split('-');
  return {
    kebab,
    pascal: pascalCase(kebab),
    camel: camelCase(kebab),
    snake: words.join('_'),
    title: capital(words.join(' ')),
  };
}

/** `labels` -> `label`, `entries` -> `entry`. Throws for a name that is not of many. */
export function singular({ kebab }: Names): Names {
  if (kebab.endsWith('ies')) return deriveNames(`${kebab.slice(0, -3)}y`);
  if (kebab.endsWith('s') && !kebab.endsWith('ss')) return deriveNames(kebab.slice(0, -1));
  throw new Error(`a resource has the name of many, such as ${kebab}s`);
}
