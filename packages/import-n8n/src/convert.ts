import {
  DOCUMENT_LIMITS,
  ImportError,
  type ImportWarning,
  isJsonObject,
  type JsonObject,
  readText,
  requireCount,
} from '@millrace/engine';
import { NodeConversions } from './conversions.ts';
import { Answers } from './graph/answers.ts';
import { leaveJoinsOpen } from './graph/joins.ts';
import { assignIds, assignLabels } from './graph/labels.ts';
import { Loops } from './graph/loops.ts';
import { OfferedTools } from './graph/offered.ts';
import { isPartEdge, Parts } from './graph/parts.ts';
import { placeCards } from './graph/placing.ts';
import { findStarts, type Starts } from './graph/starts.ts';
import { Steps } from './graph/steps.ts';
import { MODEL } from './kinds/ai/parts.ts';
import { findKind } from './kinds/index.ts';
import type { NodeReport } from './report/report.ts';
import { continuesOn, readTimeZone, reportNode, reportSettings, toRetrySettings } from './report/settings.ts';
import { isTooDeep, MOST_LEVELS } from './source/depth.ts';
import { edgesBy, readSource, type Source, type SourceEdge, type SourceNode } from './source/source.ts';
import { buildPinnedOutput } from './views/pinned.ts';

export interface ConvertedWorkflow {
  /** The workflow as an import accepts it: `{name, nodes, edges}`. */
  readonly workflow: JsonObject;
  /**
   * Everything that differs, was left out, or could not be converted. `field` begins with the place of the node here,
   * or with `file`.
   */
  readonly warnings: ImportWarning[];
  /** Names of credentials in n8n, those of a node and of its model, by the place of the node. */
  readonly credentials: readonly { readonly index: number; readonly name: string }[];
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
    timeZone: readTimeZone(json),
    pinned: isJsonObject(json['pinData']) ? json['pinData'] : {},
  });
  const nodes = conversion.nodes();
  const edges = conversion.edges();
  leaveJoinsOpen(nodes, edges);
  const workflow: JsonObject = { nodes, edges };
  const name = readText(json['name']);
  if (name !== '') workflow['name'] = name;
  reportSettings(json, warnings);
  return { workflow, warnings, credentials: conversion.listCredentials() };
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
  readonly #starts: Starts;
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
  readonly #steps: Steps;
  readonly #offered: OfferedTools;
  readonly #loops: Loops;
  readonly #conversions: NodeConversions;

  constructor(exported: Source, { warnings, timeZone, pinned }: Surroundings) {
    const starts = findStarts(exported);
    const source: Source = {
      nodes: exported.nodes.map((node) => (starts.byHand.has(node.name) ? { ...node, isOff: true } : node)),
      edges: exported.edges,
    };
    this.#starts = starts;
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
    this.#labels = assignLabels(this.#source.nodes);
    this.#ids = assignIds(this.#source.nodes);
    this.#steps = new Steps({ labels: this.#labels, ids: this.#ids });
    this.#offered = new OfferedTools({ edges, byName: this.#byName, labels: this.#labels });
    this.#loops = new Loops({ edgesFrom: this.#edgesFrom, edgesTo: this.#edgesTo, byName: this.#byName });
    const indexes = new Map(this.#source.nodes.map(({ name }, index) => [name, index]));
    this.#conversions = new NodeConversions({
      edges,
      edgesFrom: this.#edgesFrom,
      edgesTo: this.#edgesTo,
      byName: this.#byName,
      indexOf: ({ name }) => indexes.get(name) ?? -1,
      labels: this.#labels,
      parts: this.#parts,
      steps: this.#steps,
      offered: this.#offered,
      loops: this.#loops,
      answers: new Answers({ edgesFrom: this.#edgesFrom, byName: this.#byName, pinned }),
    });
  }

  nodes(): JsonObject[] {
    const nodes = this.#source.nodes.map((node) => {
      const report = this.#conversions.reportInto(this.#warnings, node);
      const { converted, lines, isKept } = this.#conversions.of(node);
      this.#warnings.push(...lines);
      const made = this.#offered.addToolChoice(node.name, converted);
      const { type } = made;
      const data = isKept ? made.data : { ...made.data, ...this.#orchestration(node) };
      this.#steps.add(node, made);
      const label = this.#labels.get(node.name) ?? node.name;
      const isSticky = type === 'sticky';
      if (label !== node.name && !isSticky)
        report.say(`Its label is "${label}" here, so that expressions can name it`, 'label');
      return {
        id: this.#getId(node),
        type,
        position: { ...node.position },
        data: { ...data, label, ...this.#common(node, { report, type }) },
      };
    });
    // The fields that callers give are known when every tool has been converted.
    for (const node of nodes) this.#offered.fill(node);
    return placeCards([...nodes, ...this.#steps.nodes]);
  }

  listCredentials(): ConvertedWorkflow['credentials'] {
    return this.#source.nodes.flatMap((node, index) => {
      const models = this.#parts.of(node.name).filter(({ role }) => role === MODEL);
      const used = [node, ...models.map((part) => part.node)].flatMap(({ credentials }) => credentials);
      return used.flatMap(({ name }) => (name === '' ? [] : [{ index, name }]));
    });
  }

  #orchestration({ name }: SourceNode): JsonObject {
    const asked = this.#listSubAgents(name);
    return asked.length === 0 ? {} : { isOrchestrator: true, subAgentLabels: asked };
  }

  /** Agents that an agent asks are named by it here, and need no connection. */
  #listSubAgents(name: string): string[] {
    return (this.#edgesTo.get(name) ?? [])
      .filter((edge) => this.#isSubAgentEdge(edge))
      .map(({ source }) => this.#labels.get(source) ?? source);
  }

  #isSubAgentEdge({ kind, source }: SourceEdge): boolean {
    return kind === 'ai_tool' && this.#byName.get(source)?.type === 'agentTool' && !this.#isKept(source);
  }

  /** Settings that every node has. */
  #common(node: SourceNode, { report, type }: { report: NodeReport; type: string }): JsonObject {
    const { stored } = node;
    const settings: JsonObject = {};
    this.#reportStart(node, report);
    const isPart =
      this.#from(node.name).some(isPartEdge) && this.#offered.findCaller(node.name) === undefined;
    const isTool = this.#conversions.isTool(node);
    // A part that is not converted would run as a node of its own, and a model is a part of its agent now.
    if (node.isDisabled || node.isOff === true || (isPart && (!isTool || this.#isKept(node.name))))
      settings['active'] = false;
    // A request names it in its command, and says so.
    for (const { type: kind, name } of type === 'http' ? [] : node.credentials) {
      const was = name === '' ? '' : `"${name}" `;
      report.say(`Choose a credential; in n8n it was ${was}of the type "${kind}"`, 'credentialId');
    }
    if (stored['retryOnFail'] === true) Object.assign(settings, toRetrySettings(stored));
    if (continuesOn(stored)) {
      settings['onErrorEnabled'] = true;
      if (stored['onError'] !== 'continueErrorOutput') {
        report.say('After an error the same nodes run here, but its output is the error');
      }
    }
    Object.assign(settings, this.#buildPinned(node, report));
    const { isKept, converted } = this.#conversions.of(node);
    const mayBeList = this.#conversions.mayHandOnList(node);
    reportNode(stored, { report, isKept, fillsNone: converted.fillsNone === true, mayBeList });
    if (type === 'cron' && this.#timeZone !== '') settings['timeZone'] = this.#timeZone;
    return settings;
  }

  /** Starts that n8n runs alone. */
  #reportStart(node: SourceNode, report: NodeReport): void {
    const { byHand, together } = this.#starts;
    if (
      node.isOff === true &&
      (this.#edgesTo.get(node.name) ?? []).every(isPartEdge) &&
      !this.#isPart(node)
    ) {
      const others = [...byHand].filter((name) => name !== node.name).map((name) => `"${name}"`);
      const more =
        others.length === 0 ? '' : `, and so were the nodes that only it leads to: ${others.join(', ')}`;
      report.say(
        `It was switched off, because here it would run whenever the workflow is called${more}`,
        'active',
      );
    }
    const others = together.includes(node) ? together.filter((start) => start !== node) : [];
    if (others.length > 0)
      report.say(
        `n8n runs the start that is called; here ${others.map(({ name }) => `"${name}"`).join(', ')} ${others.length === 1 ? 'runs' : 'run'} with it, with the same input`,
      );
  }

  #isPart({ name }: SourceNode): boolean {
    return this.#from(name).some(isPartEdge);
  }

  /** The data that tests use in place of the node: what it hands on here for the pinned items. */
  #buildPinned(node: SourceNode, report: NodeReport): JsonObject {
    const items = this.#pinned[node.name];
    if (!Array.isArray(items) || items.length === 0) return {};
    const view = this.#conversions.resolveOutput(node);
    const pinnedData = this.#isKept(node.name) ? undefined : buildPinnedOutput(view, items);
    if (pinnedData === undefined) {
      report.say(
        'Its pinned data was left out, because its output has another shape here; pin it again',
        'pinnedData',
      );
      return {};
    }
    if (items.length > 1 && view.list === undefined)
      report.say(`Only the first of ${items.length} pinned items was taken over`, 'pinnedData');
    return { pinnedData };
  }

  edges(): JsonObject[] {
    const edges = this.#source.edges.flatMap((edge, index): JsonObject[] => {
      const source = this.#byName.get(edge.source) as SourceNode;
      const target = this.#byName.get(edge.target) as SourceNode;
      // Parts and the way back of a loop lead to the node itself, not to nodes that were added before it.
      const isEntry = edge.kind === 'main' && !this.#loops.isBackEdge(edge);
      const drawn = {
        id: `e${index + 1}`,
        source: this.#steps.getExitId(source.name),
        target: isEntry ? this.#steps.getEntryId(target.name) : this.#steps.getId(target.name),
      };
      if (drawn.source === NONE || drawn.target === NONE || this.#isSubAgentEdge(edge)) return [];
      const offer = this.#offered.findOutput(edge);
      if (offer !== undefined)
        return [
          {
            ...drawn,
            source: this.#steps.getExitId(edge.target),
            target: this.#steps.getEntryId(edge.source),
            sourceHandle: offer,
          },
        ];
      if (edge.kind === 'ai_tool')
        return [{ ...drawn, sourceHandle: 'tool-output', targetHandle: 'tool-input' }];
      if (edge.kind !== 'main') return [];
      const targetHandle = this.#getInput(edge, target);
      const beside = this.#steps.findNodeBeside(source.name, edge.output);
      if (beside !== undefined)
        return [{ ...drawn, source: beside, sourceHandle: 'true', ...(targetHandle && { targetHandle }) }];
      const handles = this.#steps.isRepeated(source.name) ? ['done'] : this.#getOutputs(edge, source);
      if (handles.length === 0) this.#conversions.reportInto(this.#warnings, source).say(neverTaken(edge));
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

  #getId({ name }: SourceNode): string {
    return this.#ids.get(name) ?? NONE;
  }

  /** True for a node that could not be converted. */
  #isKept(name: string): boolean {
    const node = this.#byName.get(name);
    return node !== undefined && this.#ids.has(name) && this.#conversions.of(node).isKept;
  }

  /** The handles that an edge starts at: two when the nodes after it run after an error, too; none when it is never followed. */
  #getOutputs({ output }: SourceEdge, source: SourceNode): (string | undefined)[] {
    const kind = this.#isKept(source.name) ? undefined : findKind(source.type);
    const { stored } = source;
    if (stored['onError'] === 'continueErrorOutput' && output > 0 && kind?.output === undefined)
      return ['error'];
    const handle = kind?.output?.(source, output);
    if (handle === null) return [];
    return continuesOn(stored) && stored['onError'] !== 'continueErrorOutput' ? [handle, 'error'] : [handle];
  }

  #getInput(edge: SourceEdge, target: SourceNode): string | undefined {
    const kind = this.#isKept(target.name) ? undefined : findKind(target.type);
    if (this.#loops.isBackEdge(edge)) return 'loop';
    return kind?.input?.(target, edge.input);
  }
}

const neverTaken = ({ output, target }: SourceEdge): string =>
  `Its output ${output + 1} is never taken, so the connection to "${target}" was left out`;

const lostEdge = (source: string, target: string): ImportWarning => ({
  field: `connections.${source}`,
  message: `${source}: The connection to "${target}" was left out, because one of the two nodes is not in the file`,
});
