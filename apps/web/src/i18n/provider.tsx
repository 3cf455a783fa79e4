import { type ReactNode, useEffect, useState } from 'react';
import { IntlProvider } from 'use-intl';
import { addRegion, type Locale, localeFor } from '../lib/locale.ts';
import { usePreferences } from '../session/preferences.ts';
import { loadMessages, type Messages } from './messages.ts';
import { loadTexts, timeZone } from './texts.ts';

interface Loaded {
  locale: Locale;
  messages: Messages;
}

/** The language in use and its texts; keeps the old one on screen until the new one is there. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const chosen = usePreferences((state) => state.locale);
  const locale = localeFor(chosen, navigator.languages);
  const [loaded, setLoaded] = useState<Loaded>();
  useEffect(() => {
    let current = true;
    void Promise.all([loadMessages(locale), loadTexts(locale)]).then(([messages]) => {
      if (!current) return;
      document.documentElement.lang = locale;
      setLoaded({ locale, messages });
    });
    return () => {
      current = false;
    };
  }, [locale]);
  if (!loaded) return null;
  return (
    <IntlProvider
      locale={addRegion(loaded.locale, navigator.languages)}
      messages={loaded.messages}
      timeZone={timeZone}
    >
      {children}
    </IntlProvider>
  );
}
