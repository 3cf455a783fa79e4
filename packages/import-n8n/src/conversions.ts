import { type ImportWarning, readText } from '@millrace/engine';
import { Untranslatable } from './expression/value.ts';
import type { Answers } from './graph/answers.ts';
import type { Loops } from './graph/loops.ts';
import type { OfferedTools } from './graph/offered.ts';
import { isPartEdge, type Parts } from './graph/parts.ts';
import type { Steps } from './graph/steps.ts';
import { collectSettings } from './kinds/ai/parts.ts';
import { describedBy } from './kinds/ai/tool-description.ts';
import { explainNotConvertible, findKind } from './kinds/index.ts';
import { type Converted, type Kind, LOOP, NotConvertible, Target, type ViewContext } from './kinds/kind.ts';
import { appliesTo, isErrorOutput, runsOnce, viewOfError } from './kinds/rules.ts';
import { NodeReport } from './report/report.ts';
import { continuesOn } from './report/settings.ts';
import { Params } from './source/params.ts';
import { edgesBy, type SourceEdge, type SourceNode } from './source/source.ts';
import { answerStep, FILLED, fillStep, viewOfAnswer, viewOfFilled } from './views/filled.ts';
import { isList, mayBeList } from './views/places.ts';
import { type Each, MAPPED, PASSES_ON, type View, Views, viewOfRounds } from './views/views.ts';

/** A node as it is here, and what the report says of it. */
export interface ConvertedNode {
  readonly converted: Converted;
  readonly lines: readonly ImportWarning[];
  /** It could not be converted, and was kept as it is. */
  readonly isKept: boolean;
}

interface Attempt {
  readonly converted: Converted;
  readonly lines: ImportWarning[];
  /** It reads data that may be one item or a list. */
  readonly readsAnswer: boolean;
}

interface Graph {
  readonly edges: readonly SourceEdge[];
  readonly edgesFrom: ReadonlyMap<string, readonly SourceEdge[]>;
  readonly edgesTo: ReadonlyMap<string, readonly SourceEdge[]>;
  readonly byName: ReadonlyMap<string, SourceNode>;
  /** The place of a node in the import. */
  readonly indexOf: (node: SourceNode) => number;
  readonly labels: ReadonlyMap<string, string>;
  readonly parts: Parts;
  readonly steps: Steps;
  readonly offered: OfferedTools;
  readonly loops: Loops;
  readonly answers: Answers;
}

/** Nodes whose output here is their input. */
const HANDS_ON: ReadonlySet<string> = new Set(['wait', 'noOp']);
/** Such nodes one after the other. */
const MOST_HANDED_ON = 50;
/** Behind the label of a node that has a condition before it: without items n8n does not run it. */
const GUARD = 'HasItems';
/** Nodes that wait for what is known of the node before: further back, a node gets no loop. */
const MOST_ASKED = 50;
/** Of the code that reads what a node hands on: more doubles with each node that reads it. */
const MOST_CHARACTERS = 500;

/** Converts each node once, when it is asked for, or when a node behind it must know what it hands on. */
export class NodeConversions {
  readonly #graph: Graph;
  readonly #views: Views;
  readonly #known = new Map<string, ConvertedNode>();
  readonly #open = new Set<string>();
  #asked = 0;
  /** Nodes that get no loop, so that what was said of them stays true. */
  readonly #single = new Set<string>();

  constructor(graph: Graph) {
    this.#graph = graph;
    const { edges, byName, labels, parts, steps, loops } = graph;
    this.#views = new Views({
      edgesTo: edgesBy(
        edges.filter((edge) => edge.kind === 'main' && !loops.isBackEdge(edge)),
        'target',
      ),
      labels,
      stepLabel: (name, suffix) => steps.buildLabel(name, suffix),
      findOwner: (name) => parts.findOwner(name),
      listLoopsAround: (name) => loops.listAround(name),
      isInCircle: (name) => loops.isInCircle(name),
      readParameters: (name) => byName.get(name)?.parameters,
      pickOutput: (name, node) => loops.findOutput(name, node),
      resolveView: (name, output) => {
        const node = byName.get(name);
        if (node?.isDisabled === true) return PASSES_ON;
        if (node === undefined) return {};
        return isErrorOutput(node, output) ? viewOfError(node) : this.resolveView(node, output);
      },
    });
  }

  of(node: SourceNode): ConvertedNode {
    const known = this.#known.get(node.name);
    if (known !== undefined) return known;
    this.#open.add(node.name);
    const made = this.#convert(node);
    this.#open.delete(node.name);
    this.#known.set(node.name, made);
    return made;
  }

  /** The view that nodes behind it read. */
  resolveView(node: SourceNode, output: number): View {
    const own = this.#ownView(node, output);
    const isRepeated = this.#isRepeated(node, own);
    if (!isRepeated) this.#single.add(node.name);
    const view: View = isRepeated ? { ...viewOfRounds(own), step: LOOP } : own;
    if (this.#fillsNone(node, view)) return viewOfFilled(view);
    if (this.#makesList(node, view)) return viewOfAnswer(node);
    return node.stored['alwaysOutputData'] === true && mayBeList(view) ? { ...view, hasItems: true } : view;
  }

  /** The view of what the node itself hands on, without nodes that were added behind it. */
  resolveOutput(node: SourceNode): View {
    const { fillsNone, loop } = this.of(node).converted;
    return fillsNone && loop === undefined ? this.#ownView(node, 0) : this.resolveView(node, 0);
  }

  /** True for a node whose output may be one item or a list, which is known when it runs. */
  mayHandOnList(node: SourceNode): boolean {
    return mayBeList(this.resolveView(node, 0)) && !this.#isPart(node);
  }

  /** True for a node whose list n8n gives one empty item when it has none; after an error it has no list. */
  #fillsNone(node: SourceNode, view: View): boolean {
    return (
      node.stored['alwaysOutputData'] === true &&
      !node.isDisabled &&
      isList(view) &&
      // These have items whenever the node runs.
      !(view.hasItems === true || view.keepsItems === true || view.isPaired === true) &&
      // Its outputs differ, and a node behind it would have one of them.
      findKind(node.type)?.output === undefined &&
      !this.#isPart(node) &&
      !continuesOn(node.stored)
    );
  }

  /** True for a node with a list behind it of what may be one item or a list. */
  #makesList(node: SourceNode, view: View): boolean {
    return (
      mayBeList(view) &&
      !node.isDisabled &&
      this.#graph.answers.isForList(node) &&
      !this.#isPart(node) &&
      !this.#graph.loops.isInCircle(node.name) &&
      !continuesOn(node.stored)
    );
  }

  /** True for a part or a tool of another node, which leads there and not on. */
  #isPart({ name }: SourceNode): boolean {
    return (this.#graph.edgesFrom.get(name) ?? []).some(isPartEdge);
  }

  #isRepeated(node: SourceNode, view: View): boolean {
    if (findKind(node.type)?.hasLoop?.(node) === true) return true;
    if (this.#single.has(node.name)) return false;
    const known = this.#known.get(node.name);
    if (known !== undefined) return known.converted.loop !== undefined;
    if (this.#open.has(node.name) || this.#asked >= MOST_ASKED) return false;
    this.#asked++;
    const isRepeated = this.#listFor(node, view) !== undefined && this.of(node).converted.loop !== undefined;
    this.#asked--;
    return isRepeated;
  }

  #ownView(node: SourceNode, output: number): View {
    return findKind(node.type)?.view?.(node, output, this.#buildContext(node)) ?? {};
  }

  #buildContext(node: SourceNode): ViewContext {
    const { name, stored } = node;
    return {
      isForFirst: stored['executeOnce'] === true,
      parts: this.#graph.parts.of(name),
      code: (written) => this.#views.codeAt(name, written),
      getsList: () => this.#views.getsList(name),
      list: () => this.#views.listAt(name),
      input: (index) => this.#views.inputAt(name, index),
      each: (written, each = MAPPED) => this.#views.codeAt(name, written, each),
      rounds: () => this.#getRounds(name),
      stepLabel: (suffix) => this.#graph.steps.buildLabel(name, suffix),
      leadsOn: (output) =>
        (this.#graph.edgesFrom.get(name) ?? []).some(
          (edge) => edge.kind === 'main' && findKind(node.type)?.output?.(node, edge.output) === output,
        ),
    };
  }

  /** The connection whose data comes out of nodes that hand on their input as it is, and nothing else. */
  #findOrigin(edge: SourceEdge | undefined): SourceEdge | undefined {
    let at = edge;
    for (let step = 0; at !== undefined && step < MOST_HANDED_ON; step++) {
      const node = this.#graph.byName.get(at.source);
      if (node === undefined || node.isDisabled || !HANDS_ON.has(node.type)) return at;
      if (this.resolveView(node, at.output) !== PASSES_ON) return at;
      const [before, ...others] = (this.#graph.edgesTo.get(node.name) ?? []).filter(
        ({ kind }) => kind === 'main',
      );
      if (others.length > 0) return undefined;
      at = before;
    }
    return undefined;
  }

  #getRounds(loop: string): View | undefined {
    const { loops, byName } = this.#graph;
    const edge = this.#findOrigin(loops.findBackEdge(loop));
    const node = edge && byName.get(edge.source);
    if (edge === undefined || node === undefined || node.isDisabled) return undefined;
    // A loop that only hands on gives what its round began with.
    if (node.name === loop && findKind(node.type)?.output?.(node, edge.output) !== 'loop') return undefined;
    if (isErrorOutput(node, edge.output)) return viewOfError(node);
    // The data that leads back is in the results of the loop, in the shape that it has there.
    const { step, ...view } = this.resolveView(node, edge.output);
    // A node that passes its input on, or has a node beside it, leads back with other data.
    const isOwn = step === undefined || step === LOOP || step === FILLED;
    return view.adds === undefined && isOwn ? view : undefined;
  }

  #convert(node: SourceNode): ConvertedNode {
    const kind = findKind(node.type);
    try {
      if (kind === undefined) throw new NotConvertible(explainNotConvertible(node));
      return { ...this.#convertedBy(kind, node), isKept: false };
    } catch (error) {
      if (!(error instanceof NotConvertible || error instanceof Untranslatable)) throw error;
      // Differences of a node that is not converted mean nothing.
      const lines: ImportWarning[] = [];
      const report = this.reportInto(lines, node);
      const reason = error instanceof NotConvertible ? '' : 'an expression cannot be translated, because ';
      report.say(`It was kept as it is and cannot run here: ${reason}${error.message}`, 'type');
      for (const { node: part } of this.#graph.parts.of(node.name))
        report.say(`Its part "${part.name}" was left out with it`, 'type');
      const stored = readText(node.stored['type']).slice(0, 100);
      const data = { parameters: node.parameters, typeVersion: node.version };
      return { converted: { type: stored, data }, lines, isKept: true };
    }
  }

  #convertedBy(kind: Kind, node: SourceNode): Omit<ConvertedNode, 'isKept'> {
    const { readsAnswer, ...once } = this.#attempt(kind, node);
    const { converted } = once;
    const isForList = runsOnce(kind, node);
    const getsList = this.#views.getsList(node.name);
    const mayGetList = this.#views.mayGetList(node.name);
    if (!isForList && mayGetList && readsAnswer)
      this.reportInto(once.lines, node).say(
        'When the answer before it is a list, n8n runs it for each entry; here the list counts as one object. Add a Split node before it',
      );
    if (converted.isForAll === true || !(getsList || (isForList && mayGetList)))
      return { ...once, converted: this.#filled(node, converted) };
    if (!isForList) {
      const repeated = this.#repeated(kind, node, once);
      if (repeated !== undefined)
        return { ...repeated, converted: this.#filled(node, repeated.converted, LOOP) };
      this.reportInto(once.lines, node).say(
        'n8n runs it for each item of a list; here it runs once, with the first one. Use a loop for all of them',
      );
    }
    return { ...once, converted: this.#filled(node, this.#guarded(kind, node, converted)) };
  }

  /** The node behind a condition, where the list that it gets may be empty: then n8n does not run it. */
  #guarded(kind: Kind, node: SourceNode, converted: Converted): Converted {
    // With nothing to make of no items, the nodes behind it ask for its list; a list that is filled always has items.
    const needsNone = appliesTo(kind.staysEmpty, node) && !this.#fillsNone(node, this.#ownView(node, 0));
    if (node.isDisabled || needsNone || this.#isPart(node) || this.#graph.loops.isInCircle(node.name))
      return converted;
    const items = this.#views.itemsIfNone(node.name);
    if (items === undefined) return converted;
    // After an error there is no list; the same nodes run then.
    const counted = this.#followsErrors(node) ? `${items} ?? [dict()]` : items;
    const guard = { suffix: GUARD, type: 'condition', data: { condition: `$len(${counted}) > 0` } };
    // A node with several inputs waits for them itself.
    if (kind.input !== undefined) return { ...converted, after: [guard, ...(converted.after ?? [])] };
    return { ...converted, before: [guard, ...(converted.before ?? [])] };
  }

  #followsErrors({ name }: SourceNode): boolean {
    return (this.#graph.edgesTo.get(name) ?? []).some(({ source, kind }) => {
      const before = this.#graph.byName.get(source);
      return kind === 'main' && before !== undefined && continuesOn(before.stored);
    });
  }

  /** The node with a list behind it: of an answer, or one that has an empty item where n8n is set to hand one on. */
  #filled(node: SourceNode, converted: Converted, step = ''): Converted {
    const own = this.#ownView(node, 0);
    const view: View = step === LOOP ? viewOfRounds(own) : own;
    const list = `${this.#graph.steps.buildLabel(node.name, view.step ?? step)}${view.list}`;
    const added = this.#fillsNone(node, view)
      ? fillStep(list)
      : this.#makesList(node, view)
        ? answerStep(node, list)
        : undefined;
    if (added === undefined) return converted;
    return { ...converted, after: [...(converted.after ?? []), added], fillsNone: true };
  }

  /** The node in a loop over the list that it gets; undefined where it is not certain what n8n would do. */
  #repeated(
    kind: Kind,
    node: SourceNode,
    once: { converted: Converted; lines: readonly ImportWarning[] },
  ): Omit<ConvertedNode, 'isKept'> | undefined {
    const { before, after, beside } = once.converted;
    const list = this.#listFor(node, this.#ownView(node, 0));
    if (list === undefined || before || after || beside) return undefined;
    const loop = this.#graph.steps.buildLabel(node.name, LOOP);
    try {
      const each = this.#attempt(kind, node, { item: `${loop}.item`, index: `${loop}.index` });
      // It reads something that does not belong to an item.
      if (each.lines.length > once.lines.length) return undefined;
      const step = { suffix: LOOP, type: 'loop', data: { arrayExpression: `$${list}` } };
      return { ...each, converted: { ...each.converted, loop: step } };
    } catch (error) {
      if (error instanceof NotConvertible || error instanceof Untranslatable) return undefined;
      throw error;
    }
  }

  /** Code of the list that a loop may run a node for: one with a single input and output, whose whole output is its own. */
  #listFor(node: SourceNode, { adds, first = '', list = '' }: View): string | undefined {
    const { loops } = this.#graph;
    const kind = findKind(node.type);
    const isFit =
      kind !== undefined &&
      kind.output === undefined &&
      adds === undefined &&
      first.length + list.length <= MOST_CHARACTERS &&
      !runsOnce(kind, node) &&
      node.stored['onError'] !== 'continueErrorOutput' &&
      !this.#single.has(node.name) &&
      !this.#isPart(node) &&
      !loops.isInCircle(node.name);
    return isFit ? this.#views.onlyListAt(node.name) : undefined;
  }

  /** Converts a node for the data that it gets, or for one item of a list. */
  #attempt(kind: Kind, node: SourceNode, each?: Each): Attempt {
    const { offered, edgesFrom, parts: all, steps } = this.#graph;
    const lines: ImportWarning[] = [];
    const report = this.reportInto(lines, node);
    const params = new Params(node.parameters);
    const isTool = this.isTool(node);
    const unclear = new Set<string>();
    const given = new Set<string>();
    let readsAnswer = false;
    const names = this.#views.namesFor(node.name, {
      unclear: (used) => {
        if (!unclear.has(used)) report.say(`Data comes from several nodes; its expressions read ${used}`);
        unclear.add(used);
      },
      given: isTool ? (name) => given.add(name) : undefined,
      caller: offered.findCaller(node.name),
      answer: () => {
        readsAnswer = true;
      },
      each,
    });
    const hasNext = (edgesFrom.get(node.name) ?? []).some((edge) => !isPartEdge(edge));
    const parts = all.of(node.name);
    const stepLabel = (suffix: string) => steps.buildLabel(node.name, suffix);
    const isOffered = offered.findCaller(node.name) !== undefined;
    const needs = { names, report, hasNext, given, stepLabel, isOffered, context: this.#buildContext(node) };
    const target = new Target({ ...needs, params, parts });
    const described = isTool ? describedBy(node, target) : {};
    const converted = kind.convert(node, target);
    for (const path of params.unread())
      report.say(`The setting "${path}" has no equal here and was left out`);
    const settings = collectSettings(parts, {
      targetFor: (part) => {
        names.spend();
        return new Target({ ...needs, params: new Params(part.parameters), parts: [] });
      },
    });
    const data = { ...converted.data, ...described, ...offered.fillValues(node.name, given), ...settings };
    return { converted: { ...converted, data }, lines, readsAnswer };
  }

  /** True for a tool of an agent. */
  isTool({ name }: SourceNode): boolean {
    const { edgesFrom, offered } = this.#graph;
    const isGiven = (edgesFrom.get(name) ?? []).some((edge) => edge.kind === 'ai_tool');
    return isGiven && offered.findCaller(name) === undefined;
  }

  /** Lines about a node, which are added to others. */
  reportInto(lines: ImportWarning[], node: SourceNode): NodeReport {
    return new NodeReport(lines, { index: this.#graph.indexOf(node), name: node.name });
  }
}
