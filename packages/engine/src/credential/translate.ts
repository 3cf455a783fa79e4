import type { CredentialType } from './credential-type.ts';

/**
 * Gives a text of a definition in another language. `example`: a placeholder, which may stay as it is.
 */
export type Translate = (text: string, kind: 'text' | 'example') => string;

/** The optional texts of an object that it has, translated. */
export function translatedParts<T extends object, K extends keyof T>(
  from: T,
  names: readonly K[],
  translate: (text: string) => string,
): Partial<T> {
  const entries = names.flatMap((name) => {
    const text = from[name];
    return typeof text === 'string' ? [[name, translate(text)] as const] : [];
  });
  return Object.fromEntries(entries) as Partial<T>;
}

/** A credential type with the texts of its form in another language. */
export function translateCredential(type: CredentialType, translate: Translate): CredentialType {
  const text = (words: string) => translate(words, 'text');
  return {
    ...type,
    title: text(type.title),
    fields: type.fields.map((field) =>
      field.hidden ? field : { ...field, ...translatedParts(field, ['label', 'help'], text) },
    ),
  };
}
