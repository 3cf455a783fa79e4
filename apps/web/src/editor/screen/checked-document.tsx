import type { Problem } from '@millrace/engine';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { NO_PROBLEMS, ProblemContext, type ProblemMap } from '../../features/document/context.ts';
import { same } from '../../features/document/same.ts';
import { useEditor } from '../state/context.tsx';
import { useSettledDocument } from '../state/use-settled-document.ts';

function byNode(found: readonly Problem[]): ProblemMap {
  const map = new Map<string, Problem[]>();
  for (const problem of found) {
    if (problem.node_id === null) continue;
    map.set(problem.node_id, [...(map.get(problem.node_id) ?? []), problem]);
  }
  return map;
}

/** The problems of the graph. The checks compile every expression; they are loaded behind the first paint. */
export function CheckedDocument({ children }: { children: ReactNode }) {
  const { catalog } = useEditor();
  const [check, setCheck] = useState<typeof import('../document/problems.ts')['findProblems']>();
  useEffect(() => {
    let current = true;
    void import('../document/problems.ts').then((loaded) =>
      current ? setCheck(() => loaded.findProblems) : undefined,
    );
    return () => {
      current = false;
    };
  }, []);
  const settled = useSettledDocument();
  const before = useRef(NO_PROBLEMS);
  // Most changes leave what is wrong as it was; another map would draw all that shows problems again.
  const found = useMemo(() => {
    const next = check ? byNode(check(settled, catalog)) : NO_PROBLEMS;
    if (!same([...before.current], [...next])) before.current = next;
    return before.current;
  }, [check, settled, catalog]);
  return <ProblemContext value={found}>{children}</ProblemContext>;
}
