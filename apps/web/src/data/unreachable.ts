import { createTranslator } from 'use-intl';
import { loadMessages } from '../i18n/messages.ts';
import { chosenLocale } from '../i18n/texts.ts';

/** The error for a request that got no response. It replaces the browser's own message, such as `Failed to fetch`. */
export async function unreachable(cause?: unknown): Promise<Error> {
  const locale = chosenLocale();
  const t = createTranslator({ locale, messages: await loadMessages(locale), namespace: 'ui' });
  return new Error(t('unreachable'), { cause });
}

/** `fetch` whose failures are fit to be shown. */
export const fetchOrExplain: typeof fetch = async (input, init) => {
  try {
    return await fetch(input, init);
  } catch (error) {
    // A request that was stopped is another error.
    throw error instanceof TypeError ? await unreachable(error) : error;
  }
};
