import type { WorkflowDocument } from '@millrace/engine';
import { useDeferredValue, useRef } from 'react';
import { useDocument } from '../../features/document/context.ts';
import { isOnlyMoved } from '../document/only-moved.ts';

/** The document a moment later, for checks that may come behind typing. It stays the same one while nodes are only moved. */
export function useSettledDocument(): WorkflowDocument {
  const document = useDeferredValue(useDocument((state) => state.document));
  const kept = useRef(document);
  if (!isOnlyMoved(kept.current, document)) kept.current = document;
  return kept.current;
}
