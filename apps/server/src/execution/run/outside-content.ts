import type { RunFact } from '@millrace/engine';
import { bringsOutsideContent } from '@millrace/nodes/runtime';
import type { RunBegin } from '../model/run.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';
import { readOrigin } from './start/origin.ts';

/** Whether a node has returned content from outside that another run had read. */
const isReturned = (record: RunFact): boolean =>
  record.type === 'node_finished' && record.metadata?.['outside_content'] === true;

/** The nodes of a run to which sub-workflows have returned content from outside. Each record is looked at once. */
export class ReturnedContent {
  readonly #records: () => readonly RunFact[];
  readonly #nodes = new Set<string>();
  #seen = 0;

  /** @param records of the run, to which others are only added */
  constructor(records: () => readonly RunFact[]) {
    this.#records = records;
  }

  isReturnedTo(node_id: string): boolean {
    const records = this.#records();
    for (const record of records.slice(this.#seen)) if (isReturned(record)) this.#nodes.add(record.node_id);
    this.#seen = records.length;
    return this.#nodes.has(node_id);
  }
}

function isFromOutside({ graph }: PublishedWorkflow['version'], record: RunFact): boolean {
  if (record.type !== 'node_finished' || record.status === 'skipped') return false;
  const node = graph.nodes[graph.indexOf(record.node_id)];
  return isReturned(record) || node === undefined || bringsOutsideContent(node);
}

/**
 * Whether anything in the run has read content from outside, so that its outputs may hold instructions of strangers. A run under
 * way may ask for each of its nodes: each record is looked at once.
 */
export class ReadContent {
  readonly #version: PublishedWorkflow['version'];
  readonly #records: () => readonly RunFact[];
  #isRead: boolean;
  #seen = 0;

  /** @param records of the run, to which others are only added */
  constructor(
    begin: Pick<RunBegin, 'options'>,
    { version }: Pick<PublishedWorkflow, 'version'>,
    records: () => readonly RunFact[],
  ) {
    this.#version = version;
    this.#records = records;
    this.#isRead = readOrigin(begin).outside_content === true;
  }

  get isRead(): boolean {
    if (this.#isRead) return true;
    const records = this.#records();
    this.#isRead = records.slice(this.#seen).some((record) => isFromOutside(this.#version, record));
    this.#seen = records.length;
    return this.#isRead;
  }
}

/** The same of a run that has ended. */
export function hasReadOutside(
  begin: Pick<RunBegin, 'options'>,
  workflow: Pick<PublishedWorkflow, 'version'>,
  records: readonly RunFact[],
): boolean {
  return new ReadContent(begin, workflow, () => records).isRead;
}
