import compile from 'icu-minify/compile';
import type { Plugin } from 'vite';

const MESSAGES = /\/apps\/web\/src\/(?!chat\/).*(messages(\/places)?|texts)\/(en|de)\.json$/;

interface Messages {
  readonly [key: string]: string | Messages;
}

type Compiled = { [key: string]: ReturnType<typeof compile> | Compiled };

/** Messages in the form that `use-intl/format-message/format-only` reads. */
export function compileMessages(messages: Messages): Compiled {
  return Object.fromEntries(
    Object.entries(messages).map(([key, value]) => [
      key,
      typeof value === 'string' ? compile(value) : compileMessages(value),
    ]),
  );
}

/** Parses the ICU messages at build time, so that the parser is no part of what the browser loads. */
export function compiledMessages(): Plugin {
  return {
    name: 'compiled-messages',
    enforce: 'pre',
    config: () => ({
      resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } },
    }),
    transform(code, id) {
      return MESSAGES.test(id)
        ? { code: JSON.stringify(compileMessages(JSON.parse(code))), map: null }
        : null;
    },
  };
}
