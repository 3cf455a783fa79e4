import './computed-style.ts';

// jsdom has no layout: there is nothing to scroll, and nothing changes its size.
Element.prototype.scrollIntoView ??= () => undefined;
window.scrollTo = () => undefined;
globalThis.ResizeObserver ??= class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};
Range.prototype.getClientRects ??= () => Object.assign([], { item: () => null });
