import type { StepCall } from '../../../node-call.ts';
import type { NodeServices } from '../../../services.ts';
import type { Selector } from './selectors.ts';

interface Reader extends Pick<StepCall, 'signal'> {
  readonly services: Pick<NodeServices, 'parsers'>;
}

interface Wanted {
  readonly selectors: readonly Selector[];
  /** Parameter with the selectors. */
  readonly field: string;
}

/** Finds the elements of a page outside the event loop: a single selector can take hours. */
export const findElements = ({ services, signal }: Reader, html: string, { selectors, field }: Wanted) =>
  services.parsers.run('html_elements', [html, selectors, field], {
    what: 'The page with these selectors',
    field,
    signal,
  });
