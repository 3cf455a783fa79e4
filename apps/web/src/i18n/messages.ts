import type { Locale, RegionalLocale } from '../lib/locale.ts';
import type { messages } from '../messages/en.ts';

export type Messages = typeof messages;

declare module 'use-intl' {
  interface AppConfig {
    Locale: RegionalLocale;
    Messages: Messages;
  }
}

/** Each language is a chunk of its own; only the one in use is loaded. */
export async function loadMessages(locale: Locale): Promise<Messages> {
  switch (locale) {
    case 'en':
      return (await import('../messages/en.ts')).messages;
    case 'de':
      return (await import('../messages/de.ts')).messages;
    default:
      return locale satisfies never;
  }
}
