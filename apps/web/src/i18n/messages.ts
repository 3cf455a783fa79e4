import type { Locale } from '../lib/locale.ts';
import type en from '../messages/en.json';

export type Messages = typeof en;

declare module 'use-intl' {
  interface AppConfig {
    Locale: Locale;
    Messages: Messages;
  }
}

/** Each language is a chunk of its own; only the one in use is loaded. */
export async function loadMessages(locale: Locale): Promise<Messages> {
  switch (locale) {
    case 'en':
      return (await import('../messages/en.json')).default;
    case 'de':
      return (await import('../messages/de.json')).default;
    default:
      return locale satisfies never;
  }
}
