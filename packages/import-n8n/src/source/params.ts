import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { isTemplate } from '../expression/field.ts';

/** Parameters of an n8n node that remember which of them were read, so that the others can be reported. */
export class Params {
  readonly #stored: JsonObject;
  readonly #read = new Set<string>();

  constructor(stored: JsonObject) {
    this.#stored = stored;
  }

  /** The value at a path such as `options.timeout`. A key of a list counts as the list. */
  get(path: string): Json | undefined {
    this.#read.add(path);
    return this.#at(path);
  }

  #at(path: string): Json | undefined {
    let value: Json | undefined = this.#stored;
    for (const key of path.split('.')) {
      if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
      value = value[key];
    }
    return value;
  }

  text(path: string, fallback = ''): string {
    const value = this.get(path);
    // Resource locators hold the value next to how it was chosen.
    const plain = isJsonObject(value) && 'value' in value ? value['value'] : value;
    if (typeof plain === 'number' || typeof plain === 'boolean') return String(plain);
    return typeof plain === 'string' ? plain : fallback;
  }

  flag(path: string, fallback = false): boolean {
    const value = this.get(path);
    return typeof value === 'boolean' ? value : fallback;
  }

  /** An expression is no number: it stays unread, so that it is reported. */
  number(path: string, fallback: number): number {
    const value = this.#at(path);
    if (typeof value === 'string' && isTemplate(value)) return fallback;
    this.#read.add(path);
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : fallback;
  }

  /** The objects of a list. */
  rows(path: string): JsonObject[] {
    const value = this.get(path);
    return Array.isArray(value) ? value.filter(isJsonObject) : [];
  }

  /** The settings that were not read have no meaning here. */
  ignoreOthers(): void {
    for (const path of this.unread()) this.#read.add(path);
  }

  /** Paths of what was not read and holds anything. */
  unread(): string[] {
    return this.#unreadIn(this.#stored, '');
  }

  #unreadIn(object: JsonObject, before: string): string[] {
    return Object.entries(object).flatMap(([key, value]) => {
      const path = `${before}${key}`;
      if (this.#read.has(path) || isEmpty(value)) return [];
      const isReadInside = [...this.#read].some((read) => read.startsWith(`${path}.`));
      if (isJsonObject(value) && (isReadInside || GROUPS.has(key))) return this.#unreadIn(value, `${path}.`);
      return [path];
    });
  }
}

/** Objects that only group settings. */
const GROUPS = new Set([
  'options',
  'additionalFields',
  'otherOptions',
  'additionalOptions',
  'updateFields',
  'filters',
]);

function isEmpty(value: Json): boolean {
  if (value === null || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The rows at `group.key` of a form. */
export function inside(parameters: JsonObject, group: string, key: string): JsonObject[] {
  const stored = isJsonObject(parameters[group]) ? parameters[group][key] : undefined;
  return Array.isArray(stored) ? stored.filter(isJsonObject) : [];
}

/** Names between commas, as forms have them. */
export const splitNames = (text: string): string[] =>
  text
    .replace(/^=/, '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
