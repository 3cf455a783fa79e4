// Runs before the first paint so that a dark page never flashes white. A file of its own because the
// Content-Security-Policy refuses inline scripts. Keep the storage key in step with src/session/preferences.ts.
(() => {
  const root = document.documentElement;
  let stored = {};
  try {
    stored = JSON.parse(localStorage.getItem('millrace.preferences') ?? '{}').state ?? {};
  } catch {
    // Storage may be blocked or hold something else; the system's choice is used then.
  }
  const dark =
    stored.theme === 'dark' ||
    (stored.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = dark ? 'dark' : 'light';
  root.dataset.density = stored.density === 'comfortable' ? 'comfortable' : 'compact';
  if (stored.locale === 'de' || stored.locale === 'en') root.lang = stored.locale;
})();
