import type { JsonObject } from '@millrace/engine';
import { refusedParam } from '../../kit/refused-param.ts';
import { OutsideContent } from '../../kit/runs/outside-content.ts';
import { editedArguments } from './arguments.ts';
import type { Reviews } from './reviews.ts';
import { type AgentCall, type ApprovalMode, type Tool, type Used, usedInSteps } from './tool.ts';

/** In place of a name: every tool. */
const ALL_TOOLS = '*';

/** Tools that have no effect of their own: one asks a person itself, the other repeats what the model has received. */
const FREE: ReadonlySet<Tool['source']> = new Set(['hitl', 'stored_result']);

const STRICTNESS = { never: 0, once: 1, always: 2 } as const;
const stricter = (one: ApprovalMode, other: ApprovalMode): ApprovalMode =>
  STRICTNESS[one] >= STRICTNESS[other] ? one : other;

/**
 * The tools, each with the approval that `toolReviews` requires. A rule that names no tool fails the agent: the tool may have
 * another name now, and would be used unseen.
 *
 * @param is_complete false while some tools are not known, so that a rule may mean one of them
 */
export function withApprovals(
  { params }: AgentCall,
  tools: readonly Tool[],
  { is_complete }: { readonly is_complete: boolean },
): Tool[] {
  const rules = params.hitlEnabled ? params.toolReviews : [];
  const ruled = tools.filter(({ source }) => !FREE.has(source));
  for (const [at, { tool: name }] of rules.entries()) {
    if (name === ALL_TOOLS || !is_complete || ruled.some((tool) => isNamed(tool, name))) continue;
    const names = ruled.map(({ title, definition }) => title ?? definition.name).join(', ');
    throw refusedParam(
      `toolReviews.${at}.tool`,
      `names no tool of this agent: "${name}". Its tools: ${names === '' ? 'none' : names}`,
    );
  }
  return tools.map((tool) => {
    if (!params.hitlEnabled || FREE.has(tool.source)) return { ...tool, approval: 'never' };
    const modes = rules.filter((rule) => rule.tool === ALL_TOOLS || isNamed(tool, rule.tool));
    return { ...tool, approval: modes.map(({ mode }) => mode).reduce(stricter, tool.approval ?? 'never') };
  });
}

const isNamed = ({ title, definition }: Tool, name: string): boolean =>
  name === title || name === definition.name;

export type Approval =
  /** With these arguments. */
  | { readonly input: JsonObject; readonly used?: undefined }
  /** Not at all; what the model receives instead. */
  | { readonly used: Used };

/** Asks a person before tools are used, as the settings of the agent say. */
export class Approvals {
  readonly #call: AgentCall;
  readonly #reviews: Reviews;
  readonly #outside: OutsideContent;
  /** Names of tools that a person has approved for good. */
  readonly #approved = new Set<string>();

  constructor(call: AgentCall, reviews: Reviews) {
    this.#call = call;
    this.#reviews = reviews;
    this.#outside = new OutsideContent(call);
  }

  isNeeded(tool: Tool): boolean {
    const { approval = 'never', definition } = tool;
    if (this.#isAfterOutsideContent(tool)) return true;
    return approval === 'always' || (approval === 'once' && !this.#approved.has(definition.name));
  }

  /** Some of what was used together brought content from outside, and all of it has ended. */
  noteOutsideContent(): void {
    this.#outside.note();
  }

  #isAfterOutsideContent({ touches = 'changes' }: Tool): boolean {
    const { hitlEnabled, reviewAfterOutsideContent } = this.#call.params;
    return hitlEnabled && reviewAfterOutsideContent && touches === 'changes' && this.#outside.isRead;
  }

  /** Shows a person the tool and its arguments, which may be edited. Fails when there is no decision in time. */
  async ask(tool: Tool, input: JsonObject, key: string): Promise<Approval> {
    const call = this.#call;
    const outcome = await this.#reviews.ask(`${key}/approval`, {
      summary: `The agent wants to ${inWords(tool)}${this.#isAfterOutsideContent(tool) ? ', after the run has read content from outside' : ''}`,
      draft: `\`\`\`json\n${JSON.stringify(input, null, 2)}\n\`\`\``,
    });
    if (outcome['decision'] === 'refused') {
      const { refusalReason } = outcome;
      const result = {
        decision: 'refused',
        ...(refusalReason === undefined ? {} : { reason: refusalReason }),
      };
      return { used: await usedInSteps(call, key, () => Promise.resolve({ result, refused: true })) };
    }
    const { editedText } = outcome;
    const read = typeof editedText === 'string' ? await editedArguments(call, tool, editedText) : { input };
    if (read.problem !== undefined) {
      const result = { error: `A person edited the arguments, and they cannot be used: ${read.problem}` };
      return { used: await usedInSteps(call, key, () => Promise.resolve({ result })) };
    }
    // Only now: arguments that could not be used were no approval of a call.
    this.#approved.add(tool.definition.name);
    return { input: read.input };
  }
}

function inWords({ definition, title, facts }: Tool): string {
  const server = facts?.['mcp_server'];
  return `use "${title ?? definition.name}"${typeof server === 'string' ? ` of ${server}` : ''}`;
}
