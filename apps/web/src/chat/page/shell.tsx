/** @jsxImportSource preact */
import { t } from '../texts.ts';

/** The frame of the page while the portal is asked. `chat.html` holds the same, for the first paint. */
export function Shell() {
  return (
    <>
      <header class="head">
        <span class="bone is-title" />
      </header>
      <main class="scroller" aria-busy="true" aria-label={t('loading')} />
      <footer class="dock">
        <div class="composer is-box bone" />
      </footer>
    </>
  );
}
