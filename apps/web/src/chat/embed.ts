/**
 * The chat of a portal as a bubble on the page of another site: `<script async src="https://{host}/chat/{slug}/embed.js"></script>`.
 * It sets no cookie and reads nothing of the page; `?label=` gives the button another text, `?position=left` another corner.
 * A plain script needs no permission of its server as a module would, and so must keep its names to itself.
 */
(() => {
  const TEXTS = {
    en: { open: 'Open chat', close: 'Close chat', chat: 'Chat' },
    de: { open: 'Chat öffnen', close: 'Chat schließen', chat: 'Chat' },
  };

  const STYLE = `
:host { all: initial; }
button {
  align-items: center; background: #0f6b6b; border: 0; border-radius: 999px; bottom: 1rem; box-shadow: 0 4px 16px #0004;
  color: #fff; cursor: pointer; display: flex; height: 3.5rem; inset-inline: auto 1rem; justify-content: center;
  padding: 0; position: fixed; width: 3.5rem; z-index: 2147483001;
}
button:focus-visible { outline: 3px solid #fff; outline-offset: -6px; }
svg { fill: none; height: 1.5rem; stroke: currentColor; stroke-linecap: round; stroke-linejoin: round; stroke-width: 2; width: 1.5rem; }
.panel {
  background: Canvas; border: 1px solid #8886; border-radius: 1rem; bottom: 5.5rem; box-shadow: 0 8px 40px #0005;
  height: min(40rem, calc(100dvh - 7rem)); inset-inline: auto 1rem; overflow: hidden; position: fixed;
  width: min(25rem, calc(100vw - 2rem)); z-index: 2147483000;
}
.left button, .left .panel { inset-inline: 1rem auto; }
.panel[hidden] { display: none; }
iframe { border: 0; display: block; height: 100%; width: 100%; }
@media (max-width: 30rem) {
  .panel { border-radius: 0; border-width: 0 0 1px; height: auto; inset: 0 0 5.5rem; width: auto; }
}`;

  const DRAWINGS = {
    open: 'M21 12a8 8 0 0 1-8 8H4l2-3a8 8 0 1 1 15-5z',
    close: 'M18 6 6 18M6 6l12 12',
  };

  function icon(path: string): SVGSVGElement {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('aria-hidden', 'true');
    const drawing = document.createElementNS(svg.namespaceURI, 'path');
    drawing.setAttribute('d', path);
    svg.append(drawing);
    return svg;
  }

  /** Adds the button to the page; the chat itself loads when it is opened for the first time. */
  function addBubble(script: URL): void {
    const texts = TEXTS[navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en'];
    const chat = new URL('../' + script.pathname.split('/').at(-2) + '?embed=bubble', script);
    const label = script.searchParams.get('label') || texts.open;
    const host = document.createElement('div');
    const root = host.attachShadow({ mode: 'open' });
    // A style sheet made by a script needs no permission in the policy of the page.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];

    const frame = document.createElement('iframe');
    frame.title = texts.chat;
    frame.allow = 'clipboard-write';
    const panel = document.createElement('div');
    panel.className = 'panel';
    panel.id = 'chat';
    panel.setAttribute('role', 'dialog');
    panel.setAttribute('aria-label', texts.chat);
    panel.append(frame);
    const button = document.createElement('button');
    button.type = 'button';
    button.setAttribute('aria-controls', panel.id);
    const corner = document.createElement('div');
    if (script.searchParams.get('position') === 'left') corner.className = 'left';
    corner.append(button, panel);
    root.append(corner);

    const draw = (isOpen: boolean) => {
      const text = isOpen ? texts.close : label;
      panel.hidden = !isOpen;
      button.setAttribute('aria-expanded', String(isOpen));
      button.setAttribute('aria-label', text);
      button.title = text;
      button.replaceChildren(icon(isOpen ? DRAWINGS.close : DRAWINGS.open));
    };
    const open = () => {
      draw(true);
      if (!frame.src) frame.src = chat.href;
      frame.focus();
    };
    const close = () => {
      draw(false);
      button.focus();
    };
    draw(false);
    button.addEventListener('click', () => (panel.hidden ? open() : close()));
    document.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape' && !panel.hidden) close();
    });
    // Escape was pressed in the chat, which the page around it does not see.
    window.addEventListener('message', ({ source, origin, data }) => {
      const isOurs = source === frame.contentWindow && origin === chat.origin;
      if (isOurs && data?.type === 'millrace-chat-close') close();
    });
    document.body.append(host);
  }

  const { currentScript } = document;
  if (!(currentScript instanceof HTMLScriptElement)) return;
  const script = new URL(currentScript.src);
  if (document.body) addBubble(script);
  else document.addEventListener('DOMContentLoaded', () => addBubble(script));
})();
