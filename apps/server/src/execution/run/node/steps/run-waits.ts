import type {
  JsonObject,
  NodeSteps,
  NodeSuspended,
  NodeTask,
  RunMachine,
  WaitDoor,
  WaitRequest,
} from '@millrace/engine';
import { tokenDigest } from '../../../../core/secrets/tokens.ts';
import type { RunBegin } from '../../../model/run.ts';
import type { WaitPlace, WaitRecord } from '../../../model/wait.ts';
import type { RunKeeping } from '../../run-keeping.ts';
import { openDecision } from '../../secrets/sealed-result.ts';
import { placeKey, type StepBook } from './step-book.ts';

interface RunWaitsOptions {
  readonly keeping: Pick<RunKeeping, 'journal' | 'ownership' | 'addresses' | 'run_secrets' | 'log'>;
  readonly begin: RunBegin;
  readonly book: StepBook;
  readonly machine: RunMachine;
  /** Hides secrets in what is stored. */
  readonly mask: (payload: JsonObject) => JsonObject;
  /** Lets the driver look again. */
  readonly wake: () => void;
}

/** Waits of one run while it is in memory: stores them, and brings decisions to the nodes that stand in them. */
export class RunWaits {
  readonly #options: RunWaitsOptions;
  /** Nodes whose function is under way, by place. */
  readonly #active = new Map<string, NodeSteps>();

  constructor(options: RunWaitsOptions) {
    this.#options = options;
  }

  /** The node's function was called. */
  began(task: NodeTask, steps: NodeSteps): void {
    this.#active.set(placeKey(toWaitPlace(task)), steps);
  }

  ended(task: NodeTask): void {
    this.#active.delete(placeKey(toWaitPlace(task)));
  }

  buildWaitAddress(task: NodeTask, key: string, door: WaitDoor): string {
    const { addresses } = this.#options.keeping;
    return addresses.buildUrl(
      addresses.deriveToken(this.#options.begin.run_id, toWaitPlace(task, key)),
      door,
    );
  }

  /** Stores the wait; it can be decided from then on. */
  async open(task: NodeTask, key: string, request: WaitRequest): Promise<void> {
    const { book, keeping, begin } = this.#options;
    const place = toWaitPlace(task, key);
    if (!book.isStored(place))
      await keeping.journal.wait(begin.run_id, this.#createRecord(task, place, request));
    book.open(place, request.child_run_id);
    if (request.child_run_id !== undefined) await this.#findEnd(request.child_run_id);
  }

  /** The run that is waited for may have ended before the wait was stored; a sweep asks again when this fails. */
  async #findEnd(child_run_id: string): Promise<void> {
    const { keeping, begin } = this.#options;
    try {
      await keeping.ownership.decideByEnd(child_run_id);
    } catch (error) {
      keeping.log.warn(
        { err: error, run_id: begin.run_id },
        'the end of a sub-workflow could not be looked for',
      );
    }
  }

  #createRecord(task: NodeTask, place: WaitPlace, request: WaitRequest): WaitRecord {
    const { keeping, begin, machine, mask } = this.#options;
    const token = request.has_address ? keeping.addresses.deriveToken(begin.run_id, place) : undefined;
    return {
      ...place,
      kind: request.kind,
      token_hash: token === undefined ? null : tokenDigest(token),
      due_at_ms: request.due_at ?? null,
      payload: mask(request.payload),
      decisions: request.decisions,
      child_run_id: request.child_run_id ?? null,
      sequence: machine.takeSequence(),
      attempt: task.attempt,
      started_at_ms: task.started_at_ms,
    };
  }

  /** Decisions may have come; a sweep asks again when they could not be read. */
  look(): void {
    const { keeping, begin } = this.#options;
    this.#readDecisions().catch((error: unknown) => {
      keeping.log.warn({ err: error, run_id: begin.run_id }, 'decisions could not be read; trying again');
    });
  }

  /** Continues the nodes that they are for. */
  async #readDecisions(): Promise<void> {
    const { keeping, begin, book } = this.#options;
    const { run_id } = begin;
    for (const { node_id, iteration, key, ...stored } of await keeping.ownership.listDecisions(run_id)) {
      const place = { node_id, iteration, key };
      const decision = openDecision(keeping, run_id, stored);
      if (!book.decide(place, decision)) continue;
      if (this.#active.get(placeKey(place))?.decide(key, decision)) book.close(place);
      else this.#resume(place);
    }
  }

  /** A node was reported as paused: a decision may have been there before. */
  suspended({ node_id, iteration }: NodeSuspended): void {
    const { book } = this.#options;
    const decided = book.findOpenWaits({ node_id, iteration }).find((wait) => book.findDecision(wait));
    if (decided) this.#resume(decided);
  }

  /** A wait counts as open until its node continues: the run may be leaving memory just now. */
  #resume(place: WaitPlace): void {
    const { machine, book, wake } = this.#options;
    if (!machine.resume(place.node_id, place.iteration)) return;
    book.close(place);
    wake();
  }
}

export function toWaitPlace({ node, iteration }: NodeTask, key = ''): WaitPlace {
  return { node_id: node.id, iteration, key };
}
