import type { Extension } from '@codemirror/state';

export const CODE_LANGUAGES = ['python', 'javascript', 'typescript'] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];

export const isCodeLanguage = (value: unknown): value is CodeLanguage =>
  (CODE_LANGUAGES as readonly unknown[]).includes(value);

/** Grammar, indentation and completion of names. Loaded for the languages that someone writes. */
export async function loadLanguage(language: CodeLanguage): Promise<Extension> {
  if (language === 'python') return (await import('@codemirror/lang-python')).python();
  const { javascript } = await import('@codemirror/lang-javascript');
  return javascript({ typescript: language === 'typescript' });
}
