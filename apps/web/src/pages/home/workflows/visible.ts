import type { WorkflowSummary } from '@millrace/contracts';
import type { Folders } from '../../../data/folders.ts';
import { isWithin } from '../../../data/folders.ts';
import type { HomeSearch, WORKFLOW_SORTS } from '../../../search.ts';

export type WorkflowSort = (typeof WORKFLOW_SORTS)[number];

const newestFirst = (a: string, b: string) => (a < b ? 1 : a > b ? -1 : 0);

function comparator(sort: WorkflowSort, collator: Intl.Collator) {
  return (a: WorkflowSummary, b: WorkflowSummary): number => {
    switch (sort) {
      case 'name':
        return collator.compare(a.name, b.name);
      case 'created_at':
        return newestFirst(a.created_at, b.created_at);
      case 'updated_at':
        return newestFirst(a.updated_at, b.updated_at);
      default:
        return sort satisfies never;
    }
  };
}

const haystacks = new WeakMap<WorkflowSummary, string>();

/** Name and description in lower case, made once for each workflow. */
function getSearchText(workflow: WorkflowSummary): string {
  let text = haystacks.get(workflow);
  if (text === undefined) {
    text = `${workflow.name}\n${workflow.description ?? ''}`.toLowerCase();
    haystacks.set(workflow, text);
  }
  return text;
}

export function sortWorkflows(
  workflows: readonly WorkflowSummary[],
  sort: WorkflowSort = 'updated_at',
  locale = 'en',
): WorkflowSummary[] {
  const collator = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });
  return [...workflows].sort(comparator(sort, collator));
}

interface Place extends Pick<HomeSearch, 'folder' | 'q' | 'show'> {
  folders: Folders;
}

/** The workflows that the home page shows: those of the chosen place, or below it while searching. Keeps the order. */
export function visibleWorkflows(
  workflows: readonly WorkflowSummary[],
  { folder, q, show, folders }: Place,
): WorkflowSummary[] {
  const words = (q ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const inPlace = (workflow: WorkflowSummary): boolean => {
    const deleted = workflow.scheduled_for_deletion !== null;
    if (show === 'deleted') return deleted;
    if (deleted) return false;
    if (show === 'shared') return workflow.access === 'collaborator';
    if (!folder) return true;
    if (workflow.folder_id === folder) return true;
    return words.length > 0 && workflow.folder_id !== null && isWithin(folders, workflow.folder_id, folder);
  };
  return workflows.filter((workflow) => {
    if (!inPlace(workflow)) return false;
    if (words.length === 0) return true;
    const text = getSearchText(workflow);
    return words.every((word) => text.includes(word));
  });
}

export interface Counts {
  all: number;
  shared: number;
  deleted: number;
  /** Workflows directly in each folder. */
  inFolder: ReadonlyMap<string, number>;
}

export function countWorkflows(workflows: readonly WorkflowSummary[]): Counts {
  const inFolder = new Map<string, number>();
  const counts = { all: 0, shared: 0, deleted: 0 };
  for (const { scheduled_for_deletion, access, folder_id } of workflows) {
    if (scheduled_for_deletion !== null) {
      counts.deleted += 1;
      continue;
    }
    counts.all += 1;
    if (access === 'collaborator') counts.shared += 1;
    if (folder_id) inFolder.set(folder_id, (inFolder.get(folder_id) ?? 0) + 1);
  }
  return { ...counts, inFolder };
}

/** Pinned ones first, in the order of their pins; the rest keeps its order. */
export function splitPinned(
  workflows: readonly WorkflowSummary[],
  pinned: readonly string[],
): { pinned: WorkflowSummary[]; rest: WorkflowSummary[] } {
  const byId = new Map(workflows.map((workflow) => [workflow.id, workflow]));
  const set = new Set(pinned);
  return {
    pinned: pinned.flatMap((id) => byId.get(id) ?? []),
    rest: workflows.filter((workflow) => !set.has(workflow.id)),
  };
}
