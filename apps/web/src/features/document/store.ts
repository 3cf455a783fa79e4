import type { WorkflowDocument, WorkflowNode } from '@millrace/engine';
import { create, type StoreApi, type UseBoundStore } from 'zustand';
import type { Edit, Refusal } from './edit.ts';

const HISTORY_LENGTH = 200;

export interface Selection {
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
}

export const NOTHING_SELECTED: Selection = { nodes: new Set(), edges: new Set() };

export interface EditOptions {
  /** Edits with the same name in a row undo as one: typing into a field, dragging a node. */
  readonly merge?: string;
  readonly select?: readonly string[];
}

/** Steps that can be undone, the newest last, and those that can be done again, the next first. */
export interface Steps {
  readonly past: readonly WorkflowDocument[];
  readonly future: readonly WorkflowDocument[];
}

export interface DocumentState extends Steps {
  readonly document: WorkflowDocument;
  /** The document that the server has; the same object as `document` means that nothing is unsaved. */
  readonly saved: WorkflowDocument;
  readonly selection: Selection;
  /** Name under which the newest edit may merge with the next. */
  readonly merging: string | undefined;
  /** Why the last edit was refused; shown once. */
  readonly refusal: Refusal | undefined;
  /** Applies a command; a refused one leaves everything as it is and says why. */
  edit(change: (document: WorkflowDocument) => Edit | WorkflowDocument, options?: EditOptions): boolean;
  undo(): void;
  redo(): void;
  select(selection: Partial<{ nodes: Iterable<string>; edges: Iterable<string> }>): void;
  /** Ends merging: the next edit is a step of its own. */
  settle(): void;
  markSaved(document: WorkflowDocument): void;
  /** Shows what others saved, or a merge with that, which is no step of this person; their own ones are replaced. */
  follow(document: WorkflowDocument, steps: Steps, saved?: WorkflowDocument): void;
  /** Starts over with another document, for example after a revert or a merge. */
  load(document: WorkflowDocument, saved?: WorkflowDocument): void;
  dismissRefusal(): void;
}

export type DocumentStore = UseBoundStore<StoreApi<DocumentState>>;

const isEdit = (result: Edit | WorkflowDocument): result is Edit =>
  'document' in result || 'problem' in result;

/** Keeps what still exists selected. */
function pruned(selection: Selection, document: WorkflowDocument): Selection {
  const nodes = new Set(document.nodes.map((node) => node.id));
  const edges = new Set(document.edges.map((edge) => edge.id));
  return {
    nodes: new Set([...selection.nodes].filter((id) => nodes.has(id))),
    edges: new Set([...selection.edges].filter((id) => edges.has(id))),
  };
}

/** The state of one open document. Undo steps are former documents: they share all that did not change. */
export function createDocumentStore(
  initial: WorkflowDocument,
  saved: WorkflowDocument = initial,
): DocumentStore {
  return create<DocumentState>()((set, get) => ({
    document: initial,
    saved,
    selection: NOTHING_SELECTED,
    past: [],
    future: [],
    merging: undefined,
    refusal: undefined,

    edit(change, options = {}) {
      const { document, past, merging, selection } = get();
      const result = change(document);
      if (isEdit(result) && 'problem' in result) {
        set({ refusal: result.problem });
        return false;
      }
      const next = isEdit(result) ? result.document : result;
      if (next === document) return true;
      const continues = options.merge !== undefined && options.merge === merging;
      set({
        document: next,
        past: continues ? past : [...past.slice(1 - HISTORY_LENGTH), document],
        future: [],
        merging: options.merge,
        refusal: undefined,
        selection: options.select
          ? { nodes: new Set(options.select), edges: new Set() }
          : pruned(selection, next),
      });
      return true;
    },

    undo() {
      const { past, future, document, selection } = get();
      const previous = past.at(-1);
      if (!previous) return;
      set({
        document: previous,
        past: past.slice(0, -1),
        future: [document, ...future],
        merging: undefined,
        selection: pruned(selection, previous),
      });
    },

    redo() {
      const { past, future, document, selection } = get();
      const [next, ...rest] = future;
      if (!next) return;
      set({
        document: next,
        past: [...past, document],
        future: rest,
        merging: undefined,
        selection: pruned(selection, next),
      });
    },

    select: ({ nodes = [], edges = [] }) =>
      set({ selection: { nodes: new Set(nodes), edges: new Set(edges) } }),
    settle: () => set({ merging: undefined }),
    markSaved: (document) => set({ saved: document }),
    follow: (document, steps, saved = document) =>
      set({
        ...steps,
        document,
        saved,
        merging: undefined,
        selection: pruned(get().selection, document),
      }),
    load: (document, base = document) =>
      set({ document, saved: base, past: [], future: [], merging: undefined, selection: NOTHING_SELECTED }),
    dismissRefusal: () => set({ refusal: undefined }),
  }));
}

export const isUnsaved = (state: DocumentState): boolean => state.document !== state.saved;

/** The one selected node, when exactly one is. */
export function selectedNode(state: DocumentState): WorkflowNode | undefined {
  const [id, ...others] = state.selection.nodes;
  return id !== undefined && others.length === 0
    ? state.document.nodes.find((node) => node.id === id)
    : undefined;
}
