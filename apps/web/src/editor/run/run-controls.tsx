import type { Json } from '@millrace/engine';
import type { InputField } from '@millrace/engine/input-fields';
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import { setParameter } from '../../features/document/change.ts';
import { useDocument, useRun } from '../../features/document/context.ts';
import { type FailureActions, FailureActionsContext } from '../../features/ran-node/failure-actions.ts';
import { formInput, inputFormFields, startNodes } from '../../features/run-view/input/input-form.ts';
import { createRunForm, type RunForm, type RunFormStore } from '../../features/run-view/input/run-form.ts';
import { isBusy } from '../../features/run-view/run-store.ts';
import { attachRun, startRun, stopRun } from '../../features/run-view/start-run.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { actingBefore, actingNodes, type PartMode } from '../document/part.ts';
import { useEditor } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { useRunPart } from './use-run-part.ts';
import { useShownRun } from './use-shown-run.ts';

export interface RunControls {
  readonly form: RunFormStore;
  readonly fields: readonly InputField[];
  /** The input that a run would be given now; undefined while the JSON cannot be read. */
  readonly input: Json | undefined;
  readonly busy: boolean;
  readonly problem: string | undefined;
  /** @param until the node at which the run is to end; the whole workflow runs without one */
  start(options?: { readonly input?: Json | undefined; readonly until?: string }): Promise<void>;
  /** Runs one node, or all from it on, with what the nodes before it gave last. */
  startPart(node_id: string, mode: PartMode): Promise<void>;
  stop(): void;
  /** Saves the draft. False when it could not be saved. */
  save(): Promise<boolean>;
  /** Follows a run again whose connection was lost. */
  refollow(): Promise<void>;
}

const Context = createContext<RunControls | undefined>(undefined);

export function useRunControls(): RunControls {
  const controls = use(Context);
  if (!controls) throw new Error('useRunControls is called outside an editor');
  return controls;
}

export function useRunForm<T>(select: (form: RunForm) => T): T {
  return useStore(useRunControls().form, select);
}

/**
 * Asks before a test run of nodes that may change something outside; once for each of them, for as long as the editor is
 * open.
 */
function useMayAct(): (until?: string) => Promise<boolean> {
  const t = useEditorTexts('acting');
  const { store, catalog } = useEditor();
  const agreed = useRef(new Set<string>());
  return useCallback(
    async (until) => {
      const { document } = store.getState();
      const acting =
        until === undefined ? actingNodes(catalog, document) : actingBefore(catalog, document, until);
      if (acting.every((node) => agreed.current.has(node.id))) return true;
      const sure = await confirm({
        title: t('title'),
        body: t('body', { names: acting.map(getNodeLabel).join(', ') }),
        action: t('run'),
        tone: 'primary',
      });
      if (sure) for (const node of acting) agreed.current.add(node.id);
      return sure;
    },
    [store, catalog, t],
  );
}

interface RunControlsProviderProps {
  /** Saves first, so that what runs is what is drawn. False when it could not be saved. */
  save: () => Promise<boolean>;
  children: ReactNode;
}

/** Input and start of runs, above the panels: a run continues and can be started regardless of the visible panel. */
export function RunControlsProvider({ save, children }: RunControlsProviderProps) {
  const t = useEditorTexts('part');
  const { store: editor, run, workflow_id, catalog, view } = useEditor();
  const form = useRef<RunFormStore>(null);
  form.current ??= createRunForm();
  const store = form.current;
  const state = useStore(store);
  // Of the start nodes alone: changes to other nodes leave the controls as they are.
  const starts = useDocument(useShallow((current) => startNodes(catalog, current.document.nodes)));
  const busy = isBusy(useRun((current) => current.phase));
  const [problem, setProblem] = useState<string>();
  const saved = useDocument((current) => current.saved);
  // A later save, which may be automatic, ends the problem that an earlier one was.
  useEffect(() => setProblem((now) => (now === t('not_saved') ? undefined : now)), [saved, t]);
  const abort = useRef<AbortController>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const { follow } = useShownRun();

  const fields = useMemo(() => inputFormFields(starts), [starts]);
  const input = useMemo(() => formInput(fields, state), [state, fields]);

  const mayAct = useMayAct();
  const start = useCallback(
    async ({ input: given = input, until }: Parameters<RunControls['start']>[0] = {}) => {
      if (given === undefined || isBusy(run.getState().phase)) return;
      setProblem(undefined);
      if (store.getState().test_run && !(await mayAct(until))) return;
      if (until === undefined) view.getState().show('run');
      else view.getState().showNode('output');
      if (!(await save())) {
        setProblem(t('not_saved'));
        return;
      }
      abort.current = new AbortController();
      const { test_run } = store.getState();
      const signal = abort.current.signal;
      const stopFollowing = follow();
      setProblem(
        await startRun(run, {
          workflow_id,
          input: given,
          test_run,
          trigger_source: 'Canvas',
          ...(until === undefined ? {} : { until }),
          signal,
        }),
      );
      stopFollowing();
    },
    [input, run, view, save, store, workflow_id, follow, mayAct, t],
  );
  const runPart = useRunPart(save);
  const startPart = useCallback(
    async (node_id: string, mode: PartMode) => {
      if (isBusy(run.getState().phase)) return;
      setProblem(undefined);
      abort.current = new AbortController();
      const stopFollowing = follow();
      try {
        setProblem(await runPart({ node_id, mode, signal: abort.current.signal }));
      } finally {
        stopFollowing();
      }
    },
    [run, runPart, follow],
  );
  const stop = useCallback(
    () => void stopRun(run, workflow_id).catch((error: unknown) => setProblem(String(error))),
    [run, workflow_id],
  );
  const refollow = useCallback(async () => {
    const { execution_id } = run.getState();
    if (!execution_id) return;
    abort.current = new AbortController();
    await attachRun(run, { workflow_id, execution_id, signal: abort.current.signal });
  }, [run, workflow_id]);
  const controls = useMemo<RunControls>(
    () => ({ form: store, fields, input, busy, problem, start, startPart, stop, save, refollow }),
    [store, fields, input, busy, problem, start, startPart, stop, save, refollow],
  );
  const failure = useMemo<FailureActions>(
    () => ({
      busy,
      resume: (node_id) => void startPart(node_id, 'resume'),
      fix: (node, parameter) =>
        void editor.getState().edit((document) => setParameter(document, node.id, parameter)),
    }),
    [busy, startPart, editor],
  );
  return (
    <Context value={controls}>
      <FailureActionsContext value={failure}>{children}</FailureActionsContext>
    </Context>
  );
}
