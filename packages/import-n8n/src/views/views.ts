import type { Json } from '@millrace/engine';
import { toCode } from '../expression/field.ts';
import { access, type Code, type Names, Untranslatable, type Which } from '../expression/value.ts';
import type { SourceEdge } from '../source/source.ts';
import {
  allItems,
  buildFieldAccess,
  distinct,
  type InputPlace,
  inputPlace,
  isList,
  mayBeList,
  type Place,
  quotePlaces,
  readFirst,
  toItemCode,
  toItemsCode,
  type View,
  withKept,
} from './places.ts';

export { type InputPlace, type View, viewOfRounds } from './places.ts';

/** One item of a list, as expressions for each of them name it. */
export interface Each {
  readonly item: string;
  /** Its place in the list; absent where there is no name for it. */
  readonly index?: string;
}

/** The parameter of `map` and `filter`. */
export const MAPPED: Each = { item: 'item' };
/** Their parameter over `withIndex()`. */
export const NUMBERED: Each = { item: 'item.value', index: 'item.index' };

export const PASSES_ON: View = { adds: [] };

/** Of nodes that answer with rows. */
export const rowsView: View = { first: '.rows[0]', list: '.rows' };

interface Graph {
  /** Connections of data by the node that they lead to. */
  readonly edgesTo: ReadonlyMap<string, readonly SourceEdge[]>;
  readonly labels: ReadonlyMap<string, string>;
  /** Of a node that is added to another, by the name of that one. */
  readonly stepLabel: (name: string, suffix: string) => string;
  /** The node whose data a node gets: that of its agent for a tool, otherwise its own. */
  readonly findOwner: (name: string) => string;
  /** The loops that run a node in their rounds. */
  readonly listLoopsAround: (name: string) => readonly string[];
  /** True for a node that leads back to itself, other than through a loop. */
  readonly isInCircle: (name: string) => boolean;
  /** The output of a named node that an expression on a node reads. */
  readonly pickOutput: (name: string, node: string) => number;
  /** By node and the output that the data leaves at. */
  readonly resolveView: (name: string, output: number) => View;
  /** The parameters of a node as the file has them. */
  readonly readParameters: (name: string) => Json | undefined;
}

/** Values of agents have a prefix, since parameters of nodes have names such as `query`, too, but none with "_". */
export const argumentName = (name: string): string =>
  `value_${name.replaceAll(/[^A-Za-z0-9]+/g, '_').slice(0, 50)}`;

/** The data of a node that nothing leads to. */
const NO_DATA: Place = { name: '', label: 'dict()', view: {} };

/** How far back data is looked for. */
const MOST_STEPS = 500;
/** Nodes one after the other whose lists depend on each other. */
const MOST_ASKED = 200;
/** Views that are needed for one view. */
const MOST_OPEN = 20;
/** Of the code for data that several nodes have a part of. */
const MOST_CHARACTERS = 2000;
/** Expressions that are translated in one file. */
const MOST_SCRIPTS = 20_000;

interface Noted {
  /** Data may come from several nodes; says which are read. */
  unclear(used: string): void;
  /** The agent has to fill in this value; undefined for a node that is no tool. */
  readonly given: ((name: string) => void) | undefined;
  /** Data is read as one item that may be a list. */
  answer?(): void;
  /** Expressions are written for one item of the list that the node gets. */
  readonly each?: Each | undefined;
  /** The start whose caller gives the value in place of an agent. */
  readonly caller?: { readonly label: string; add(name: string): void } | undefined;
}

/** Finds the node that has the data an expression reads. */
export class Views {
  readonly #graph: Graph;
  #scripts = 0;
  /** Nodes whose views are being made, each of which needs that of the next. */
  readonly #open = new Set<string>();
  readonly #lists = new Map<string, boolean>();
  readonly #inputs = new Map<string, InputPlace | undefined>();
  readonly #kept = new Map<string, Place>();
  #asked = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** The names of n8n as an expression on this node uses them. */
  namesFor(node: string, { unclear, given, caller, answer, each }: Noted): Names {
    let uncertain = 0;
    /** All nodes that the data may come from, the best one first. Notes whether one of them may not have run. */
    const all = (name: string | null, key: string | undefined): readonly [Place, ...Place[]] => {
      const found = this.#findPlaces(node, { name, key });
      if (found.length > 1) unclear(`the first that has run of ${quotePlaces(found)}`);
      if (found.length > 1 || (name !== null && !this.#runsBefore(name, node))) uncertain += 1;
      return found;
    };
    /** Code that reads from each of them; one that has not run has none. */
    const read = (name: string | null, key: string | undefined, code: (place: Place) => string): string =>
      readFirst(all(name, key), code);
    const ofItem = (place: Place, which: Which) => {
      if (mayBeList(place.view)) answer?.();
      return each && which === 'current' ? this.#toEach(node, { place, each }) : place;
    };
    return {
      spend: () => {
        if (++this.#scripts > MOST_SCRIPTS) throw new Untranslatable('the file has too many expressions');
      },
      field: (name, key, which) =>
        read(name, key, (place) => buildFieldAccess(ofItem(place, which), { key, which })),
      whole: (name, which = 'current') =>
        read(name, undefined, (place) => toItemCode(ofItem(place, which), which)),
      items: (name) => {
        const [place, ...others] = all(name, undefined);
        return others.length === 0 ? toItemsCode(place) : allItems([place, ...others]);
      },
      index: () => {
        // Without a list, a node runs once here.
        if (each === undefined) return { form: 'constant', code: '0', value: 'number' };
        if (each.index === undefined) throw new Untranslatable('the place of the item has no name here');
        return { form: 'chain', code: each.index, value: 'number' };
      },
      runIndex: () => this.#roundAt(this.#graph.findOwner(node)),
      ran: (name) => {
        const label = this.#graph.labels.get(name);
        if (label === undefined) throw new Untranslatable(`there is no node "${name}"`);
        uncertain += 1;
        return `${label} != null`;
      },
      previous: () => this.#requireOnlyBefore(node),
      parameters: (name) => this.#graph.readParameters(name ?? node),
      uncertainReads: () => uncertain,
      fromAgent: (name) => {
        if (caller !== undefined) {
          caller.add(name);
          return `${caller.label}${access(name)}`;
        }
        if (given === undefined) throw new Untranslatable('only tools of agents get values from them');
        const argument = argumentName(name);
        given(argument);
        return `agentArguments${access(argument)}`;
      },
    };
  }

  #roundAt(owner: string): Code {
    const [loop, ...others] = this.#graph.listLoopsAround(owner);
    if (this.#graph.isInCircle(owner)) throw new Untranslatable('it counts the rounds of a circle');
    if (loop === undefined) return { form: 'constant', code: '0', value: 'number' };
    if (others.length > 0) throw new Untranslatable('it counts the rounds of several loops');
    return { form: 'chain', code: `${this.#graph.labels.get(loop)}.index`, value: 'number' };
  }

  #requireOnlyBefore(node: string): string {
    const edges = this.#graph.edgesTo.get(this.#graph.findOwner(node)) ?? [];
    const [before, ...others] = new Set(edges.map(({ source }) => source));
    if (before === undefined || others.length > 0)
      throw new Untranslatable('not exactly one node comes before, so its name is not known here');
    return before;
  }

  /** The nodes that the data of one, or of the input for null, may come from, the best one first. */
  #findPlaces(
    node: string,
    { name, key }: { name: string | null; key: string | undefined },
  ): readonly [Place, ...Place[]] {
    const found = distinct(
      name === null
        ? this.#findInput(node, key)
        : this.#findOutput(name, {
            output: this.#graph.pickOutput(name, this.#graph.findOwner(node)),
            key,
            seen: new Set(),
          }),
    );
    const best = found.find(({ view }) => view.adds?.includes(key ?? '')) ?? found[0];
    if (best !== undefined) return [best, ...found.filter((place) => place !== best)];
    // A node that no node leads to never runs in n8n either.
    if (name === null) return [NO_DATA];
    throw new Untranslatable(`there is no node "${name}" with data`);
  }

  /** True for a node that has run whenever the other one does: only its own data leads there. */
  #runsBefore(name: string, node: string): boolean {
    let at = this.#graph.findOwner(node);
    for (let step = 0; step < MOST_STEPS; step++) {
      const sources = new Set((this.#graph.edgesTo.get(at) ?? []).map(({ source }) => source));
      if (sources.has(name)) return sources.size === 1;
      const [before] = sources;
      if (before === undefined || sources.size > 1) return false;
      at = before;
    }
    return false;
  }

  /** One item of the list that a node gets, or the one of another list that it was made from. */
  #toEach(node: string, { place, each }: { place: Place; each: Each }): Place {
    if (mayBeList(place.view) && this.#findInput(node, undefined).some(({ label }) => label === place.label))
      return { ...place, label: each.item, view: { ...place.view, first: '', list: '' } };
    if (!isList(place.view)) return place;
    // An item that was handed on is still itself; where others were made of it, its place in the list says which it was.
    let { item, index }: { item?: string | undefined; index?: string | undefined } = each;
    let owner = node;
    for (let step = 0; step < MOST_STEPS; step++) {
      const [list, ...others] = this.#findInput(owner, undefined);
      if (list === undefined || !isList(list.view) || (others.length > 0 && owner !== node)) break;
      if (list.label === place.label && list.view.list === place.view.list) {
        const label = item ?? `${list.label}${list.view.list}[${index}]`;
        return { ...place, label, view: { ...place.view, first: '', list: '' } };
      }
      if (list.view.keepsItems === true && item !== undefined) index = undefined;
      else if (list.view.isPaired === true && index !== undefined) item = undefined;
      else break;
      owner = list.name;
    }
    throw new Untranslatable('it belongs to an item of another list');
  }

  /** Code of the one list that a node gets; undefined when it gets something else, or data of several nodes. */
  onlyListAt(node: string): string | undefined {
    const [place, ...others] = this.#findInput(node, undefined);
    return place === undefined || others.length > 0 || !isList(place.view)
      ? undefined
      : `${place.label}${place.view.list}`;
  }

  /** Code of the list that a node gets. */
  listAt(node: string): string | undefined {
    const [place] = this.#findInput(node, undefined);
    return place === undefined || !isList(place.view) ? undefined : `${place.label}${place.view.list}`;
  }

  /** Where the data of one input is; undefined when it comes from several nodes, or is not whole in one. */
  inputAt(node: string, input: number): InputPlace | undefined {
    const key = `${input} ${node}`;
    if (this.#inputs.has(key)) return this.#inputs.get(key);
    // In a circle, and far back, it is not known.
    this.#inputs.set(key, undefined);
    if (this.#asked > MOST_ASKED) return undefined;
    this.#asked++;
    const places = this.#findInput(node, undefined, { inputs: input });
    this.#asked--;
    const [place] = places;
    const found = place === undefined || places.length > 1 ? undefined : inputPlace(place);
    this.#inputs.set(key, found);
    return found;
  }

  /** Code of a parameter of a node; undefined when it cannot be translated, or reads its own data. */
  codeAt(node: string, stored: Json | undefined, each?: Each): string | undefined {
    if (typeof stored !== 'string') return JSON.stringify(stored ?? null);
    if (this.#open.has(node) || this.#open.size > MOST_OPEN) return undefined;
    this.#open.add(node);
    try {
      return toCode(
        stored,
        this.namesFor(node, {
          unclear: () => undefined,
          given: undefined,
          each,
        }),
      ).code;
    } catch (error) {
      if (error instanceof Untranslatable) return undefined;
      throw error;
    } finally {
      this.#open.delete(node);
    }
  }

  /** True when the node before hands on a list, so that n8n would run this node once for each of its items. */
  getsList(node: string): boolean {
    const known = this.#lists.get(node);
    if (known !== undefined) return known;
    // In a circle, and far back, it counts as one item.
    this.#lists.set(node, false);
    if (this.#asked > MOST_ASKED) return false;
    this.#asked++;
    const gets = this.#findInput(node, undefined).some(({ view }) => isList(view));
    this.#asked--;
    this.#lists.set(node, gets);
    return gets;
  }

  /** True when the data of a node may be a list, which is known when it runs. */
  mayGetList(node: string): boolean {
    return this.#findInput(node, undefined).some(({ view }) => mayBeList(view));
  }

  /** Code of the items that a node gets, where there may be none; undefined for one item, and where there are some. */
  itemsIfNone(node: string): string | undefined {
    if (!(this.getsList(node) || this.mayGetList(node)) || !this.#mayGetNone(node, 0)) return undefined;
    const [place, ...others] = distinct(this.#findInput(node, undefined));
    if (place === undefined) return undefined;
    return others.length === 0 ? toItemsCode(place) : allItems([place, ...others]);
  }

  #mayGetNone(node: string, step: number): boolean {
    if (step > MOST_OPEN) return true;
    return this.#findInput(node, undefined).some(({ name, view }) => {
      if (view.list === undefined || view.hasItems === true) return false;
      return !(view.keepsItems === true || view.isPaired === true) || this.#mayGetNone(name, step + 1);
    });
  }

  #findInput(
    node: string,
    key: string | undefined,
    { seen = new Set(), inputs }: { seen?: Set<string>; inputs?: View['inputs'] } = {},
  ): Place[] {
    return this.#edgesInto(node, inputs).flatMap(({ source, output }) =>
      this.#findOutput(source, { output, key, seen }),
    );
  }

  #edgesInto(node: string, inputs: View['inputs']): SourceEdge[] {
    return (this.#graph.edgesTo.get(this.#graph.findOwner(node)) ?? [])
      .filter(({ input }) => typeof inputs !== 'number' || input === inputs)
      .toSorted((one, two) => (inputs === 'last' ? two.input - one.input : one.input - two.input));
  }

  #findOutput(
    name: string,
    { output, key, seen }: { output: number; key: string | undefined; seen: Set<string> },
  ): Place[] {
    const label = this.#graph.labels.get(name);
    // Two outputs of one node may hand on different lists.
    const passed = `${output} ${name}`;
    if (label === undefined || seen.has(passed)) return [];
    seen.add(passed);
    const view = this.#graph.resolveView(name, output);
    const { adds, step } = view;
    const place: Place = {
      name,
      label: step === undefined ? label : this.#graph.stepLabel(name, step),
      view,
    };
    if (adds === undefined || (key !== undefined && adds.includes(key))) return [place];
    if (key === undefined && adds.length > 0) return [this.#withKept(place, passed)];
    // A node that leads there may have been met on another branch: then it is no source of its own.
    if (this.#edgesInto(name, view.inputs).length === 0 || seen.size > MOST_STEPS) return [place];
    return this.#findInput(name, key, { seen, inputs: view.inputs });
  }

  /** Its whole data; what hands on its own data, in a circle, has only the fields that it adds. */
  #withKept(place: Place, passed: string): Place {
    const known = this.#kept.get(passed);
    if (known !== undefined) return known;
    this.#kept.set(passed, place);
    const before = distinct(this.#findInput(place.name, undefined));
    const made = before.length === 0 ? place : withKept(place, before);
    // Each branch that comes together again would double it.
    const kept = made.label.length > MOST_CHARACTERS ? place : made;
    this.#kept.set(passed, kept);
    return kept;
  }
}
