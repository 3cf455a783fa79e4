import { isJsonObject, type JsonObject } from '@millrace/engine';
import type { Converted } from '../kinds/kind.ts';
import type { SourceEdge, SourceNode } from '../source/source.ts';

interface Graph {
  readonly edges: readonly SourceEdge[];
  readonly byName: ReadonlyMap<string, SourceNode>;
  readonly labels: ReadonlyMap<string, string>;
}

interface Start {
  readonly label: string;
  /** Nodes that it offers, in the order of their connections. */
  readonly tools: string[];
  /** Fields that callers give besides the name of the tool. */
  readonly fields: Set<string>;
}

/** The field that says which tool is meant. */
const TOOL = 'tool';

const isOffer = ({ kind }: SourceEdge): boolean => kind === 'ai_tool';

/**
 * Nodes that an MCP trigger of n8n offers as tools. Here MCP clients see a workflow as one tool, so that a field says
 * which of them is meant, and the others are their values.
 */
export class OfferedTools {
  readonly #starts = new Map<string, Start>();
  readonly #startNames = new Map<string, string>();
  readonly #labels: ReadonlyMap<string, string>;

  constructor({ edges, byName, labels }: Graph) {
    this.#labels = labels;
    for (const node of byName.values()) {
      if (node.type !== 'mcpTrigger') continue;
      this.#starts.set(node.name, { label: labels.get(node.name) ?? '', tools: [], fields: new Set() });
    }
    const offers = edges.filter(isOffer);
    // A tool that an agent uses as well stays one of that agent.
    const shared = new Set(offers.flatMap(({ source, target }) => (this.#starts.has(target) ? [] : source)));
    for (const { source, target } of offers) {
      const start = this.#starts.get(target);
      if (start === undefined || shared.has(source) || !labels.has(source) || this.#startNames.has(source))
        continue;
      start.tools.push(source);
      this.#startNames.set(source, target);
    }
  }

  /** Where a tool gets the values from that an agent would fill in; undefined for one that is not offered. */
  findCaller(name: string): { readonly label: string; add(field: string): void } | undefined {
    const start = this.#starts.get(this.#startNames.get(name) ?? '');
    return start === undefined ? undefined : { label: start.label, add: (field) => start.fields.add(field) };
  }

  /** How the fields of a node that an agent or a caller fills in as a whole reach it. */
  fillValues(name: string, fields: ReadonlySet<string>): JsonObject {
    const start = this.findCaller(name);
    if (start === undefined) return fields.size === 0 ? {} : { agentProvidedFields: [...fields] };
    return Object.fromEntries(
      [...fields].map((field) => {
        start.add(field);
        return [field, `$${start.label}.${field}`];
      }),
    );
  }

  /** The trigger with the choice of the tool after it; any other node as it is. */
  addToolChoice(name: string, converted: Converted): Converted {
    const start = this.#starts.get(name);
    if (start === undefined || start.tools.length === 0) return converted;
    const cases = start.tools.map((tool) => this.#labels.get(tool) ?? tool);
    const data = { expression: `$${start.label}.${TOOL}`, cases };
    return { ...converted, after: [{ suffix: 'Tool', type: 'switch', data }] };
  }

  /** The output of the choice that leads to a tool. */
  findOutput({ kind, source, target }: SourceEdge): string | undefined {
    const start =
      kind === 'ai_tool' && this.#startNames.get(source) === target ? this.#starts.get(target) : undefined;
    return start === undefined ? undefined : `case-${start.tools.indexOf(source)}`;
  }

  /** Names the fields of callers at a trigger. */
  fill({ data }: JsonObject): void {
    if (!isJsonObject(data ?? null)) return;
    const fields = data as JsonObject;
    const start = [...this.#starts.values()].find(({ label }) => label === fields['label']);
    if (start === undefined) return;
    fields['inputFields'] = [TOOL, ...[...start.fields].filter((field) => field !== TOOL)].map((key) => ({
      key,
    }));
  }
}
