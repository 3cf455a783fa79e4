import type { JsonObject } from '@millrace/engine';
import type { Converted, Step } from '../kinds/kind.ts';
import { continuesOn } from '../report/settings.ts';
import type { SourceNode } from '../source/source.ts';

interface Known {
  readonly labels: ReadonlyMap<string, string>;
  readonly ids: ReadonlyMap<string, string>;
}

/** How far an added node is from the one that it belongs to. */
const OFFSET = 110;

/** Nodes that are added before and after others, because one node of n8n does what several do here. */
export class Steps {
  readonly #known: Known;
  readonly #taken: Set<string>;
  readonly #takenIds: Set<string>;
  readonly #entries = new Map<string, string>();
  readonly #exits = new Map<string, string>();
  /** Ids of nodes beside another, by their output there and its name. */
  readonly #beside = new Map<string, string>();
  readonly #repeated = new Set<string>();
  readonly nodes: JsonObject[] = [];
  readonly edges: JsonObject[] = [];

  constructor(known: Known) {
    this.#known = known;
    this.#taken = new Set(known.labels.values());
    this.#takenIds = new Set(known.ids.values());
  }

  /** A name of its own, or that of the node for no suffix: other nodes have theirs before any is added. */
  buildLabel(name: string, suffix: string): string {
    if (suffix === '') return this.#known.labels.get(name) ?? '';
    let label = `${this.#known.labels.get(name) ?? ''}${suffix}`;
    while (this.#taken.has(label)) label = `${label}_`;
    return label;
  }

  /** The id that connections to the node lead to; empty for a node that is none here. */
  getEntryId(name: string): string {
    return this.#entries.get(name) ?? this.#known.ids.get(name) ?? '';
  }

  /** The id that connections from the node start at. */
  getExitId(name: string): string {
    return this.#exits.get(name) ?? this.#known.ids.get(name) ?? '';
  }

  /** True for a node that a loop runs for each item of a list, and whose followers are those of the loop. */
  isRepeated(name: string): boolean {
    return this.#repeated.has(name);
  }

  /** The id of the node itself, also when others are added around it; empty for a node that is none here. */
  getId(name: string): string {
    return this.#known.ids.get(name) ?? '';
  }

  /** The id of the node that leads on from one output, for a node that has one for each; undefined for others. */
  findNodeBeside(name: string, output: number): string | undefined {
    return this.#beside.get(`${output} ${name}`);
  }

  add(node: SourceNode, { before = [], after = [], beside, loop }: Converted): void {
    const own = this.#known.ids.get(node.name);
    // Steps after the node run after all of its rounds.
    const id = loop === undefined ? own : this.#repeat(node, loop);
    if (id === undefined || before.length + after.length === 0) return;
    const [first, last] = [before, after].map((steps, side) =>
      steps.map((step, index) =>
        this.#made(node, { step, shift: side === 0 ? index - before.length : index + 1 }),
      ),
    );
    const chain = [...(first ?? []), id, ...(last ?? [])];
    this.#entries.set(node.name, chain[0] ?? id);
    this.#exits.set(node.name, chain.at(-1) ?? id);
    if (after.length > 0) this.#repeated.delete(node.name);
    for (const [index, source] of chain.slice(0, -1).entries()) {
      // Behind the steps before it, the node itself comes.
      const step = index < before.length ? before[index] : after[index - before.length - 1];
      const handle = source !== id ? leadsOnAt(step) : loop === undefined ? undefined : 'done';
      const target = chain[index + 1] ?? '';
      this.edges.push({ id: `${source}_next`, source, target, ...(handle && { sourceHandle: handle }) });
    }
    if (beside === undefined) return;
    this.#beside.set(`0 ${node.name}`, id);
    const source = chain[before.length - 1];
    for (const [index, step] of beside.entries()) {
      const target = this.#made(node, { step, shift: 0, below: index + 1 });
      this.#beside.set(`${index + 1} ${node.name}`, target);
      if (source !== undefined) this.edges.push({ id: `${target}_from`, source, target });
    }
  }

  /** Each round begins at the node and ends there, after an error too when the run continues then. */
  #repeat(node: SourceNode, step: Step): string | undefined {
    const id = this.getId(node.name);
    if (id === '') return undefined;
    const loop = this.#made(node, { step, shift: -1 });
    this.#repeated.add(node.name);
    this.#entries.set(node.name, loop);
    this.#exits.set(node.name, loop);
    const ends = continuesOn(node.stored) ? [undefined, 'error'] : [undefined];
    this.edges.push(
      { id: `${loop}_round`, source: loop, sourceHandle: 'loop', target: id },
      ...ends.map((handle, index) => ({
        id: `${loop}_next${index || ''}`,
        source: id,
        ...(handle === undefined ? {} : { sourceHandle: handle }),
        target: loop,
        targetHandle: 'loop',
      })),
    );
    return loop;
  }

  #made(node: SourceNode, { step, shift, below = 1 }: { step: Step; shift: number; below?: number }): string {
    const { suffix, type, data } = step;
    let id = `${(this.#known.ids.get(node.name) ?? '').slice(0, 80)}_${suffix}`;
    while (this.#takenIds.has(id)) id = `${id}_`;
    this.#takenIds.add(id);
    const { x, y } = node.position;
    const isOff = node.isDisabled || node.isOff === true ? { active: false } : {};
    this.nodes.push({
      id,
      type,
      position: { x: x + shift * OFFSET, y: y + below * OFFSET },
      data: { ...data, label: this.buildLabel(node.name, suffix), ...isOff },
    });
    return id;
  }
}

/** The output of a step at which the next one follows; undefined for the only one. */
const leadsOnAt = (step: Step | undefined): string | undefined =>
  step?.type === 'condition' ? 'true' : undefined;
