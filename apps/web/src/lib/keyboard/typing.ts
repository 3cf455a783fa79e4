/** Whether text is being typed into this element, so that plain keys belong to the text and to no shortcut. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

export const inDialog = (): boolean =>
  document.querySelector('[role="dialog"], [role="menu"], [role="alertdialog"]') !== null;

/** Whether Escape is for this field, which says with `data-escape` that it has something to drop, and not for a dialog around it. */
export const keepsEscape = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('[data-escape]');
