import { useEffect } from 'react';
import { inDialog, isTyping } from '../../../lib/keyboard/typing.ts';

const STEPS: Readonly<Record<string, 1 | -1>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
};
/** They scroll what is too high. */
const VERTICAL: ReadonlySet<string> = new Set(['ArrowDown', 'ArrowUp']);
const SCROLLED = '[role="tabpanel"]';
/** These use the arrows for themselves. */
const OWN_ARROWS = '[role="tab"], [role="tree"], [role="radio"], [role="separator"], [role="combobox"]';

/** Arrow keys step through the nodes, except where something else uses them. */
export function useStepKeys(onStep: (step: 1 | -1) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = STEPS[event.key];
      const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
      if (step === undefined || hasModifier || event.defaultPrevented) return;
      if (isTyping(event.target) || inDialog()) return;
      const used = VERTICAL.has(event.key) ? `${OWN_ARROWS}, ${SCROLLED}` : OWN_ARROWS;
      if (event.target instanceof Element && event.target.closest(used)) return;
      event.preventDefault();
      onStep(step);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [onStep]);
}
