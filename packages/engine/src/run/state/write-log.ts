import type { Json } from '../../json.ts';
import type { CompiledWorkflow } from '../../workflow/compiled.ts';

/** A value that a node has written under a name. */
interface Write {
  readonly value: Json;
  /** Rounds of the writer's loops when it wrote, outermost first. */
  readonly rounds: readonly number[];
  /** Names the list that the value is a later state of: the node and rounds in which it was first written. */
  readonly list?: string;
}

/**
 * The writes of one node under one name: at 0 in its present round, and at `d` its last write of an earlier round of
 * the loop at depth `d` around it (in the present rounds of all loops further out). Older writes are forgotten, because
 * no reader could see them any more.
 */
type Slots = (Write | undefined)[];

/**
 * Values written by nodes, read by rules that do not depend on timing: a reader sees a write exactly when it
 * happened before the reader, which is when the writer precedes it in the same round, or wrote in an earlier
 * round of a loop around both. Of several visible writes the last in rounds, then in topological order, counts.
 */
export class WriteLog {
  readonly #workflow: CompiledWorkflow;
  readonly #names = new Map<string, Map<number, Slots>>();
  #appended = false;

  constructor(workflow: CompiledWorkflow) {
    this.#workflow = workflow;
  }

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  get names(): Iterable<string> {
    return this.#names.keys();
  }

  /** Whether anything was ever appended to a list that another write holds. */
  get hasAppends(): boolean {
    return this.#appended;
  }

  write(name: string, value: Json, { node, rounds, appends }: WriteOrigin): void {
    const list = appends === true ? this.#listBefore(name, node) : undefined;
    if (list !== undefined) this.#appended = true;
    let writers = this.#names.get(name);
    if (!writers) this.#names.set(name, (writers = new Map()));
    const slots = writers.get(node);
    const write: Write = list === undefined ? { value, rounds } : { value, rounds, list };
    if (slots) slots[0] = write;
    else writers.set(node, [write]);
  }

  /** A new round of the loop begins: what its body wrote becomes the past. */
  nextRound(loop: number): void {
    const depth = this.#workflow.loops[loop]?.depth ?? 0;
    for (const writers of this.#names.values()) {
      for (const [node, slots] of writers) {
        if (!this.#isInside(node, loop)) continue;
        slots[depth] = newest(slots, depth);
        slots[0] = undefined;
        slots.length = depth + 1;
      }
    }
  }

  /** Undefined when nothing of that name is visible to the node. */
  read(name: string, reader: number): Json | undefined {
    return this.#last(name, reader)?.write.value;
  }

  /**
   * The list that a node has written, as the reader sees it: with the items that were appended since, unless something
   * else was written under the name in between. Undefined when nothing was appended.
   */
  readAppended(name: string, writer: number, reader: number): Json | undefined {
    const slots = this.#names.get(name)?.get(writer);
    const own = slots && this.#visible(writer, slots, reader);
    const last = this.#last(name, reader);
    if (!own || !last || last.write === own || last.write.list === undefined) return undefined;
    return last.write.list === getListKey(writer, own) ? last.write.value : undefined;
  }

  /** The write that counts for the reader. */
  #last(name: string, reader: number): { node: number; write: Write } | undefined {
    const writers = this.#names.get(name);
    if (!writers) return undefined;
    let best: { node: number; write: Write } | undefined;
    for (const [node, slots] of writers) {
      const write = this.#visible(node, slots, reader);
      if (write && (best === undefined || this.#isLater(node, write, best))) best = { node, write };
    }
    return best;
  }

  #listBefore(name: string, node: number): string | undefined {
    const last = this.#last(name, node);
    return last && Array.isArray(last.write.value) ? getListKey(last.node, last.write) : undefined;
  }

  #visible(writer: number, slots: Slots, reader: number): Write | undefined {
    const { nodes } = this.#workflow;
    // The error flow starts when all of the main flow has settled.
    const fromMain = nodes[writer]?.flow === 'main' && nodes[reader]?.flow === 'error';
    if (fromMain || this.#workflow.precedes(writer, reader)) return newest(slots, 1);
    for (let loop = nodes[reader]?.loop ?? -1; loop >= 0; loop = this.#workflow.loops[loop]?.outer ?? -1) {
      const write = this.#isInside(writer, loop) ? slots[this.#workflow.loops[loop]?.depth ?? 0] : undefined;
      if (write) return write;
    }
    return undefined;
  }

  /** Compares place by place from the outermost loop inwards: first the place in the order, then the round. */
  #isLater(node: number, write: Write, than: { node: number; write: Write }): boolean {
    const one = this.#places(node);
    const two = this.#places(than.node);
    for (let level = 0; level < one.length && level < two.length; level++) {
      const byPlace = (one[level] ?? 0) - (two[level] ?? 0);
      if (byPlace !== 0) return byPlace > 0;
      const byRound = (write.rounds[level] ?? 0) - (than.write.rounds[level] ?? 0);
      if (byRound !== 0) return byRound > 0;
    }
    return one.length > two.length;
  }

  /** Ranks of the loop nodes around a node, outermost first, then its own. */
  #places(node: number): number[] {
    const { nodes, loops, rank } = this.#workflow;
    const places = [rank[node] ?? 0];
    for (let loop = nodes[node]?.loop ?? -1; loop >= 0; loop = loops[loop]?.outer ?? -1) {
      places.unshift(rank[loops[loop]?.node ?? 0] ?? 0);
    }
    return places;
  }

  #isInside(node: number, loop: number): boolean {
    const { nodes, loops } = this.#workflow;
    for (let around = nodes[node]?.loop ?? -1; around >= 0; around = loops[around]?.outer ?? -1) {
      if (around === loop) return true;
    }
    return false;
  }
}

/** Where a write comes from. */
export interface WriteOrigin {
  readonly node: number;
  /** Present rounds of the loops around the node, outermost first. */
  readonly rounds: readonly number[];
  /** The value is what the name held before, with items added to the same list. */
  readonly appends?: boolean;
}

const getListKey = (node: number, { list, rounds }: Write): string => list ?? `${node}@${rounds.join('.')}`;

/** The present write, else the past of the innermost loop, and so on outwards to the loop at depth `least`. */
function newest(slots: Slots, least: number): Write | undefined {
  if (slots[0]) return slots[0];
  for (let depth = slots.length - 1; depth >= least; depth--) {
    const write = slots[depth];
    if (write) return write;
  }
  return undefined;
}
