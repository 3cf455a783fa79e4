import { MEGABYTE } from '@millrace/engine/units';
import { LRUCache } from 'lru-cache';
import { isUuid } from '../../core/ids.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { Broadcast } from '../../ports/coordination/broadcast.ts';
import type { ChangeClock } from '../../ports/coordination/change-clock.ts';
import { keepDraft, loadSettings, loadVersion } from './load.ts';
import type { PublishedWorkflow, WorkflowSettings, WorkflowVersion } from './published-workflow.ts';

export type Maybe<T> = T | undefined;
export type NowOrLater<T> = T | Promise<T>;

export interface WorkflowCache {
  /** The workflow as it is published now. Answers at once, without a promise, when it is cached. */
  published(workflow_id: string): NowOrLater<Maybe<PublishedWorkflow>>;
  /** The state that the editor has saved last, published or not. Read anew each time: people start such runs one by one. */
  draft(workflow_id: string): Promise<Maybe<PublishedWorkflow>>;
  /** A version or draft that a run is pinned to, with the settings of today. */
  pinned(workflow_id: string, version_id: string): Promise<Maybe<PublishedWorkflow>>;
  /** Seconds since the cache began, entries and bytes; for metrics and tests. */
  size(): { workflows: number; bytes: number };
  close(): void;
}

export interface WorkflowCacheOptions {
  readonly sql: SqlClient;
  readonly broadcast: Broadcast;
  readonly changes: ChangeClock;
  readonly max_bytes?: number;
}

interface Entry {
  readonly workflow: PublishedWorkflow;
  /** Changes that had been seen before it was read. */
  readonly seen: number;
}

/** One look at the database that later callers share, unless they know of a change that it is too early for. */
interface Load {
  readonly seen: number;
  workflow?: Promise<Maybe<PublishedWorkflow>>;
}

/** How often a draft may be saved again while it is read. */
const MAX_LOOKS = 20;
const MAX_BYTES = 128 * MEGABYTE;

/** Versions never change: a settings edit keeps the compiled graph, and pinned runs share it. */
function createVersions(sql: SqlClient, max_bytes: number) {
  const versions = new LRUCache<string, WorkflowVersion>({
    maxSize: max_bytes,
    sizeCalculation: (version) => version.bytes,
  });
  return {
    bytes: () => versions.calculatedSize,
    async getVersion(version_id: string): Promise<Maybe<WorkflowVersion>> {
      const known = versions.get(version_id);
      if (known) return known;
      const version = await loadVersion(sql, version_id);
      if (version) versions.set(version_id, version);
      return version;
    },
  };
}

async function readDraft(
  sql: SqlClient,
  { getVersion }: ReturnType<typeof createVersions>,
  workflow_id: string,
): Promise<Maybe<PublishedWorkflow>> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const kept = await keepDraft(sql, workflow_id);
    if (kept === undefined) continue;
    const settings = await loadSettings(sql, workflow_id);
    const version = settings && (await getVersion(kept ?? settings.version_id));
    return version && { settings, version };
  }
  throw new Error(`the draft of workflow ${workflow_id} is not to be had`);
}

/**
 * Published workflows by id, so that an execute call reads no workflow. A hint drops an entry the moment it changes; after
 * a change of any kind on the clock, an entry is read again before it is used.
 */
export function createWorkflowCache(options: WorkflowCacheOptions): WorkflowCache {
  const { sql, broadcast, changes } = options;
  const entries = new LRUCache<string, Entry>({
    maxSize: options.max_bytes ?? MAX_BYTES,
    sizeCalculation: (entry) => entry.workflow.version.bytes,
  });
  const loading = new Map<string, Load>();
  const versions = createVersions(sql, options.max_bytes ?? MAX_BYTES);
  const { getVersion } = versions;

  async function join(settings: WorkflowSettings): Promise<Maybe<PublishedWorkflow>> {
    const version = await getVersion(settings.version_id);
    return version && { settings, version };
  }

  async function read(workflow_id: string, ticket: Load): Promise<Maybe<PublishedWorkflow>> {
    const settings = await loadSettings(sql, workflow_id);
    const workflow = settings && (await join(settings));
    // A hint that came meanwhile removed this load: what it read may already be old, so it is not kept.
    if (workflow && loading.get(workflow_id) === ticket)
      entries.set(workflow_id, { workflow, seen: ticket.seen });
    return workflow;
  }

  function load(workflow_id: string): Promise<Maybe<PublishedWorkflow>> {
    const pending = loading.get(workflow_id);
    if (pending?.workflow && pending.seen === changes.seen) return pending.workflow;
    const ticket: Load = { seen: changes.seen };
    loading.set(workflow_id, ticket);
    const workflow = read(workflow_id, ticket).finally(() => {
      if (loading.get(workflow_id) === ticket) loading.delete(workflow_id);
    });
    ticket.workflow = workflow;
    return workflow;
  }

  // All of them, as after a change on the clock: which ends of a workflow's runs are events depends on the owner's other workflows.
  const unsubscribe = broadcast.subscribe('workflow_changed', () => {
    entries.clear();
    loading.clear();
  });

  return {
    published(workflow_id) {
      const entry = entries.get(workflow_id);
      if (entry?.seen === changes.seen) return entry.workflow;
      return isUuid(workflow_id) ? load(workflow_id.toLowerCase()) : undefined;
    },
    draft: async (workflow_id) =>
      isUuid(workflow_id) ? readDraft(sql, versions, workflow_id.toLowerCase()) : undefined,
    async pinned(workflow_id, version_id) {
      const [settings, version] = await Promise.all([loadSettings(sql, workflow_id), getVersion(version_id)]);
      return settings && version?.workflow_id === workflow_id ? { settings, version } : undefined;
    },
    size: () => ({ workflows: entries.size, bytes: entries.calculatedSize + versions.bytes() }),
    close: unsubscribe,
  };
}
