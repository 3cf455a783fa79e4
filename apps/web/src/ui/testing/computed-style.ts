/**
 * The computed style of components in tests. jsdom matches each rule of each style sheet with the element and its parents, for
 * each of a dozen properties; with those of the code editor that was half of the time of the tests of forms. The style sheet of
 * the app is not there anyway, so only what elements say themselves counts: their tag, the `hidden` attribute and their `style`.
 */
const computeByJsdom = window.getComputedStyle.bind(window);
const bare = document.implementation.createHTMLDocument();
const displays = new Map<string, string>();

/** By the style sheet that browsers have. */
function readDefaultDisplay(tag: string): string {
  let display = displays.get(tag);
  if (display === undefined) {
    display = computeByJsdom(bare.createElement(tag)).display;
    displays.set(tag, display);
  }
  return display;
}

const styleIn = (element: Element): CSSStyleDeclaration | undefined =>
  'style' in element ? (element.style as CSSStyleDeclaration) : undefined;

function computeDisplay(element: Element): string {
  const own = styleIn(element)?.display;
  if (own) return own;
  const hidden =
    element.hasAttribute('hidden') ||
    (element.localName === 'input' && element.getAttribute('type') === 'hidden') ||
    (element.localName === 'dialog' && !element.hasAttribute('open'));
  return hidden ? 'none' : readDefaultDisplay(element.localName);
}

function inherit(element: Element, property: 'visibility' | 'pointer-events', initial: string): string {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const own = styleIn(at)?.getPropertyValue(property);
    if (own && own !== 'inherit') return own;
  }
  return initial;
}

function computeProperty(element: Element, property: string): string {
  if (property === 'display') return computeDisplay(element);
  if (property === 'visibility') return inherit(element, property, 'visible');
  if (property === 'pointer-events') return inherit(element, property, 'auto');
  return styleIn(element)?.getPropertyValue(property) ?? '';
}

const toPropertyName = (key: string): string =>
  key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

window.getComputedStyle = (element) =>
  new Proxy({} as CSSStyleDeclaration, {
    get: (_, key) => {
      if (key === 'getPropertyValue') return (property: string) => computeProperty(element, property);
      return typeof key === 'string' ? computeProperty(element, toPropertyName(key)) : undefined;
    },
  });
