import {
  DOCUMENT_LIMITS,
  ImportError,
  type ImportWarning,
  isJsonObject,
  type JsonObject,
} from '@millrace/engine';
import { isTooDeep, MOST_LEVELS } from './depth.ts';
import { Untranslatable } from './expression/value.ts';
import { type Converted, type Kind, NotConvertible, Target, type ViewContext } from './kind.ts';
import { kindOf, reasonOf } from './kinds/index.ts';
import { settingsOf } from './kinds/parts.ts';
import { idsOf, labelsOf } from './labels.ts';
import { OfferedTools } from './offered.ts';
import { Params } from './params.ts';
import { isPartEdge, Parts } from './parts.ts';
import { placeCards } from './placing.ts';
import { NodeReport } from './report.ts';
import { continuesOn, reportNode, reportSettings, retryOf, timeZoneOf } from './settings.ts';
import { edgesBy, readSource, type Source, type SourceEdge, type SourceNode, textOf } from './source.ts';
import { Steps } from './steps.ts';
import { describedBy } from './tool-description.ts';
import { PASSES_ON, type View, Views } from './views.ts';

export interface ConvertedWorkflow {
  /** What an import accepts: `{name, nodes, edges}`. */
  readonly workflow: JsonObject;
  /** What differs, was left out, or could not be converted. `field` begins with the place of the node here, or with `file`. */
  readonly warnings: ImportWarning[];
}

/**
 * An export of n8n as a workflow of this product (docs/import-n8n.md). A node that has no equal keeps its type and
 * parameters, and fails when it runs; an expression that cannot be translated stays as it is. Both are reported.
 * Throws `ImportError` for more nodes, connections or levels than a workflow may have, and nothing else.
 */
export function convertN8n(json: JsonObject): ConvertedWorkflow {
  if (isTooDeep(json)) throw new ImportError('', `Is nested deeper than ${MOST_LEVELS} levels`);
  const warnings: ImportWarning[] = [];
  const source = readSource(json, (place) =>
    warnings.push({
      // Not the place of a node here, which those behind it have moved to.
      field: `file.${place}`,
      message: 'The entry has no name or type, or a name that occurs twice, and was left out',
    }),
  );
  // Before anything is translated, which takes time for each of them.
  requireCount('nodes', source.nodes.length, DOCUMENT_LIMITS.nodes);
  requireCount('connections', source.edges.length, DOCUMENT_LIMITS.edges);
  const conversion = new Conversion(source, {
    warnings,
    timeZone: timeZoneOf(json),
    pinned: isJsonObject(json['pinData']) ? json['pinData'] : {},
  });
  const workflow: JsonObject = { nodes: conversion.nodes(), edges: conversion.edges() };
  const name = textOf(json['name']);
  if (name !== '') workflow['name'] = name;
  reportSettings(json, warnings);
  return { workflow, warnings };
}

function requireCount(field: string, count: number, most: number): void {
  if (count > most) throw new ImportError(field, `Has ${count} entries; at most ${most} are allowed`);
}

/** The id of a node that is a part of another here. */
const NONE = '';

interface Surroundings {
  readonly warnings: ImportWarning[];
  readonly timeZone: string;
  readonly pinned: JsonObject;
}

class Conversion {
  readonly #source: Source;
  readonly #warnings: ImportWarning[];
  readonly #timeZone: string;
  /** Items by node that stand for its output in tests. */
  readonly #pinned: JsonObject;
  readonly #parts: Parts;
  readonly #labels: ReadonlyMap<string, string>;
  readonly #byName: ReadonlyMap<string, SourceNode>;
  readonly #edgesFrom: ReadonlyMap<string, readonly SourceEdge[]>;
  readonly #edgesTo: ReadonlyMap<string, readonly SourceEdge[]>;
  readonly #ids: ReadonlyMap<string, string>;
  readonly #views: Views;
  readonly #steps: Steps;
  readonly #offered: OfferedTools;
  /** Nodes in the rounds of each loop, by its name. */
  readonly #bodies = new Map<string, ReadonlySet<string>>();
  /** Nodes that could not be converted. */
  readonly #kept = new Set<string>();

  constructor(source: Source, { warnings, timeZone, pinned }: Surroundings) {
    this.#warnings = warnings;
    this.#timeZone = timeZone;
    this.#pinned = pinned;
    this.#byName = new Map(source.nodes.map((node) => [node.name, node]));
    const edges = source.edges.filter(({ source, target }) => {
      const isWhole = this.#byName.has(source) && this.#byName.has(target);
      if (!isWhole) warnings.push(lostEdge(source, target));
      return isWhole;
    });
    this.#edgesFrom = edgesBy(edges, 'source');
    this.#edgesTo = edgesBy(edges, 'target');
    this.#parts = new Parts({ edgesFrom: this.#edgesFrom, edgesTo: this.#edgesTo, byName: this.#byName });
    this.#source = { nodes: source.nodes.filter((node) => !this.#parts.isMerged(node)), edges };
    this.#labels = labelsOf(this.#source.nodes);
    this.#ids = idsOf(this.#source.nodes);
    this.#steps = new Steps({ labels: this.#labels, ids: this.#ids });
    this.#offered = new OfferedTools({ edges, byName: this.#byName, labels: this.#labels });
    this.#views = new Views({
      edgesTo: edgesBy(
        edges.filter((edge) => edge.kind === 'main' && !this.#isBackEdge(edge)),
        'target',
      ),
      labels: this.#labels,
      stepLabel: (name, suffix) => this.#steps.labelOf(name, suffix),
      placeOf: (name) => this.#parts.ownerOf(name),
      viewOf: (name, output) => {
        const node = this.#byName.get(name);
        if (node?.isDisabled === true) return PASSES_ON;
        return node === undefined ? {} : this.#viewOf(node, output);
      },
    });
  }

  #viewOf(node: SourceNode, output: number): View {
    return kindOf(node.type)?.view?.(node, output, this.#contextOf(node)) ?? {};
  }

  #contextOf({ name }: SourceNode): ViewContext {
    return {
      parts: this.#parts.of(name),
      code: (stored) => this.#views.codeAt(name, stored),
      getsList: () => this.#views.getsList(name),
      list: () => this.#views.listAt(name),
      input: (index) => this.#views.inputAt(name, index),
      each: (stored) => this.#views.codeAt(name, stored, { isEach: true }),
    };
  }

  nodes(): JsonObject[] {
    const nodes = this.#source.nodes.map((node, index) => {
      const report = new NodeReport(this.#warnings, { index, name: node.name });
      const converted = this.#converted(node, report);
      const made = this.#offered.startOf(node.name, converted);
      const { type, data } = made;
      this.#steps.add(node, made);
      const label = this.#labels.get(node.name) ?? node.name;
      const isSticky = type === 'sticky';
      if (label !== node.name && !isSticky)
        report.say(`Its label is "${label}" here, so that expressions can name it`, 'label');
      return {
        id: this.#idOf(node),
        type,
        position: { ...node.position },
        data: { ...data, label, ...this.#common(node, { report, type }) },
      };
    });
    // What callers give is known when every tool has been converted.
    for (const node of nodes) this.#offered.fill(node);
    return placeCards([...nodes, ...this.#steps.nodes]);
  }

  #converted(node: SourceNode, report: NodeReport): Converted {
    const kind = kindOf(node.type);
    const said = this.#warnings.length;
    try {
      if (kind === undefined) throw new NotConvertible(reasonOf(node));
      return this.#convertedBy(kind, { node, report });
    } catch (error) {
      if (!(error instanceof NotConvertible || error instanceof Untranslatable)) throw error;
      this.#kept.add(node.name);
      // What differs of a node that is not converted means nothing.
      this.#warnings.length = said;
      const reason = error instanceof NotConvertible ? '' : 'an expression cannot be translated, because ';
      report.say(`It was kept as it is and cannot run here: ${reason}${error.message}`, 'type');
      for (const { node: part } of this.#parts.of(node.name))
        report.say(`Its part "${part.name}" was left out with it`, 'type');
      const stored = textOf(node.stored['type']).slice(0, 100);
      return { type: stored, data: { parameters: node.parameters, typeVersion: node.version } };
    }
  }

  #convertedBy(kind: Kind, { node, report }: { node: SourceNode; report: NodeReport }): Converted {
    const params = new Params(node.parameters);
    let isUnclear = false;
    const given = new Set<string>();
    const names = this.#views.namesFor(node.name, {
      unclear: (used) => {
        if (!isUnclear) report.say(`Data comes from several nodes; its expressions read "${used}"`);
        isUnclear = true;
      },
      given: this.#isTool(node) ? (name) => given.add(name) : undefined,
      caller: this.#offered.callerOf(node.name),
    });
    const hasNext = this.#from(node.name).some((edge) => !isPartEdge(edge));
    const parts = this.#parts.of(node.name);
    const stepLabel = (suffix: string) => this.#steps.labelOf(node.name, suffix);
    const isOffered = this.#offered.callerOf(node.name) !== undefined;
    const needs = { names, report, hasNext, given, stepLabel, isOffered, context: this.#contextOf(node) };
    const target = new Target({ ...needs, params, parts });
    const described = this.#isTool(node) ? describedBy(node, target) : {};
    const converted = kind.convert(node, target);
    const { takesList = false } = kind;
    const isOnce =
      converted.isForAll === true ||
      (typeof takesList === 'function' ? takesList(node) : takesList) ||
      node.stored['executeOnce'] === true;
    if (!isOnce && !node.isDisabled && this.#views.getsList(node.name)) {
      report.say(
        'n8n runs it for each item of a list; here it runs once, with the first one. Use a loop for all of them',
      );
    }
    for (const path of params.unread())
      report.say(`The setting "${path}" has no equal here and was left out`);
    const settings = settingsOf(parts, {
      targetFor: (part) => {
        names.spend();
        return new Target({ ...needs, params: new Params(part.parameters), parts: [] });
      },
    });
    const asked = this.#subAgentsOf(node.name);
    const orchestrated = asked.length === 0 ? {} : { isOrchestrator: true, subAgentLabels: asked };
    const provided = isOffered
      ? this.#offered.valuesOf(node.name, given)
      : given.size === 0
        ? {}
        : { agentProvidedFields: [...given] };
    return {
      ...converted,
      data: { ...converted.data, ...described, ...provided, ...settings, ...orchestrated },
    };
  }

  /** Agents that an agent asks are named by it here, and need no connection. */
  #subAgentsOf(name: string): string[] {
    return (this.#edgesTo.get(name) ?? [])
      .filter((edge) => this.#isSubAgentEdge(edge))
      .map(({ source }) => this.#labels.get(source) ?? source);
  }

  #isSubAgentEdge({ kind, source }: SourceEdge): boolean {
    return kind === 'ai_tool' && this.#byName.get(source)?.type === 'agentTool' && !this.#kept.has(source);
  }

  /** Settings that every node has. */
  #common(node: SourceNode, { report, type }: { report: NodeReport; type: string }): JsonObject {
    const { stored } = node;
    const settings: JsonObject = {};
    const isPart = this.#from(node.name).some(isPartEdge) && this.#offered.callerOf(node.name) === undefined;
    const isTool = this.#isTool(node);
    // A part that is not converted would run as a node of its own, and a model is a part of its agent now.
    if (node.isDisabled || (isPart && (!isTool || this.#kept.has(node.name)))) settings['active'] = false;
    for (const credential of node.credentials)
      report.say(`Choose a credential; in n8n it was of the type "${credential}"`, 'credentialId');
    if (stored['retryOnFail'] === true) Object.assign(settings, retryOf(stored));
    if (continuesOn(stored)) {
      settings['onErrorEnabled'] = true;
      if (stored['onError'] !== 'continueErrorOutput') {
        report.say('After an error the same nodes run here, but its output is the error');
      }
    }
    Object.assign(settings, this.#pinnedOf(node, report));
    reportNode(stored, { report, isKept: this.#kept.has(node.name) });
    if (type === 'cron' && this.#timeZone !== '') settings['timeZone'] = this.#timeZone;
    return settings;
  }

  /** What tests use in place of the node: the first pinned item, when the node hands on the same shape here. */
  #pinnedOf(node: SourceNode, report: NodeReport): JsonObject {
    const items = this.#pinned[node.name];
    const [item] = Array.isArray(items) ? items : [];
    if (item === undefined || !Array.isArray(items)) return {};
    const view = this.#viewOf(node, 0);
    if (Object.keys(view).length > 0 || this.#kept.has(node.name)) {
      report.say(
        'Its pinned data was left out, because its output has another shape here; pin it again',
        'pinnedData',
      );
      return {};
    }
    if (items.length > 1)
      report.say(`Only the first of ${items.length} pinned items was taken over`, 'pinnedData');
    return { pinnedData: isJsonObject(item) && item['json'] !== undefined ? item['json'] : item };
  }

  edges(): JsonObject[] {
    const edges = this.#source.edges.flatMap((edge, index): JsonObject[] => {
      const source = this.#byName.get(edge.source) as SourceNode;
      const target = this.#byName.get(edge.target) as SourceNode;
      const drawn = {
        id: `e${index + 1}`,
        source: this.#steps.exitOf(source.name),
        target: this.#steps.entryOf(target.name),
      };
      if (drawn.source === NONE || drawn.target === NONE || this.#isSubAgentEdge(edge)) return [];
      const offer = this.#offered.edgeOf(edge);
      if (offer !== undefined)
        return [
          {
            ...drawn,
            source: this.#steps.exitOf(edge.target),
            target: this.#steps.entryOf(edge.source),
            sourceHandle: offer,
          },
        ];
      if (edge.kind === 'ai_tool')
        return [{ ...drawn, sourceHandle: 'tool-output', targetHandle: 'tool-input' }];
      if (edge.kind !== 'main') return [];
      const targetHandle = this.#inputOf(edge, target);
      const beside = this.#steps.besideOf(source.name, edge.output);
      if (beside !== undefined)
        return [{ ...drawn, source: beside, sourceHandle: 'true', ...(targetHandle && { targetHandle }) }];
      const handles = this.#outputsOf(edge, source);
      if (handles.length === 0) this.#reportOf(source).say(neverTaken(edge));
      return handles.map((sourceHandle, copy) => ({
        ...drawn,
        id: copy === 0 ? drawn.id : `${drawn.id}_${copy}`,
        ...(sourceHandle === undefined ? {} : { sourceHandle }),
        ...(targetHandle === undefined ? {} : { targetHandle }),
      }));
    });
    return [...edges, ...this.#steps.edges];
  }

  #from(name: string): readonly SourceEdge[] {
    return this.#edgesFrom.get(name) ?? [];
  }

  #isTool({ name }: SourceNode): boolean {
    return (
      this.#from(name).some((edge) => edge.kind === 'ai_tool') && this.#offered.callerOf(name) === undefined
    );
  }

  #idOf({ name }: SourceNode): string {
    return this.#ids.get(name) ?? NONE;
  }

  #reportOf(node: SourceNode): NodeReport {
    return new NodeReport(this.#warnings, { index: this.#source.nodes.indexOf(node), name: node.name });
  }

  /** The handles that an edge starts at: two when the nodes after it run after an error, too; none when it is never followed. */
  #outputsOf({ output }: SourceEdge, source: SourceNode): (string | undefined)[] {
    const kind = this.#kept.has(source.name) ? undefined : kindOf(source.type);
    const { stored } = source;
    if (stored['onError'] === 'continueErrorOutput' && output > 0 && kind?.output === undefined)
      return ['error'];
    const handle = kind?.output?.(source, output);
    if (handle === null) return [];
    return continuesOn(stored) && stored['onError'] !== 'continueErrorOutput' ? [handle, 'error'] : [handle];
  }

  #inputOf(edge: SourceEdge, target: SourceNode): string | undefined {
    const kind = this.#kept.has(target.name) ? undefined : kindOf(target.type);
    if (this.#isBackEdge(edge)) return 'loop';
    return kind?.input?.(target, edge.input);
  }

  #isBackEdge({ kind, source, target }: SourceEdge): boolean {
    const loop = this.#byName.get(target);
    return kind === 'main' && loop?.type === 'splitInBatches' && this.#bodyOf(loop).has(source);
  }

  /** Nodes that are reached from the loop's own output of rounds. */
  #bodyOf(loop: SourceNode): ReadonlySet<string> {
    const known = this.#bodies.get(loop.name);
    if (known !== undefined) return known;
    const kind = kindOf(loop.type);
    const body = new Set<string>();
    const open = this.#from(loop.name)
      .filter((edge) => kind?.output?.(loop, edge.output) === 'loop')
      .map(({ target }) => target);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (body.has(next)) continue;
      body.add(next);
      if (next === loop.name) continue;
      for (const edge of this.#from(next)) if (edge.kind === 'main') open.push(edge.target);
    }
    this.#bodies.set(loop.name, body);
    return body;
  }
}

const neverTaken = ({ output, target }: SourceEdge): string =>
  `Its output ${output + 1} is never taken, so the connection to "${target}" was left out`;

const lostEdge = (source: string, target: string): ImportWarning => ({
  field: `connections.${source}`,
  message: `${source}: The connection to "${target}" was left out, because one of the two nodes is not in the file`,
});
