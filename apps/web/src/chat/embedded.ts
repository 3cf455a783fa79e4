/** Whether `embed.js` shows this page as a bubble on another site. */
const isBubble =
  window.parent !== window && new URLSearchParams(window.location.search).get('embed') === 'bubble';

/** Escape closes the bubble, unless something in the chat took the key. The page around it does not see what is pressed in here. */
export function closeOnEscape(): void {
  if (!isBubble) return;
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]')) return;
    // Says nothing that the site may not know, so any may get it.
    window.parent.postMessage({ type: 'millrace-chat-close' }, '*');
  });
}
