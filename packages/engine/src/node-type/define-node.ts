import type { z } from 'zod';
import type { CredentialType } from '../credential/credential-type.ts';
import type { JsonObject } from '../json.ts';
import type { IconShape } from './icon.ts';

/**
 * The effect that a repeated call of the node may have on the outside world. Determines where the journal has barriers
 * and what happens when a crash leaves the outcome unknown.
 *
 * - `pure`: computed from its inputs alone; needs no barrier and is recomputed.
 * - `read`: reads the outside world; repeated freely.
 * - `idempotent`: repeated with the same idempotency key.
 * - `unsafe`: never repeated automatically; fails as `outcome_unknown` unless the node is set to repeat.
 * - `steps`: the node does nothing outside of its steps and waits; each step has its own effect.
 */
export type Effect = StepEffect | 'steps';

/** Effect of one step. */
export type StepEffect = 'pure' | 'read' | 'idempotent' | 'unsafe';

/**
 * How events reach a trigger.
 *
 * - `clock`: at times computed from its settings. - `poll`: a source is polled. - `connection`: a connection is kept
 * open. - `webhook`: an address of the service is called. - `event`: something happened within the service.
 * - `upload`: a file is sent to a one-time address.
 */
export type TriggerKind = 'clock' | 'poll' | 'connection' | 'webhook' | 'event' | 'upload';

export type NodeFamily = 'trigger' | 'flow' | 'data' | 'output' | 'network' | 'note' | 'integration' | 'ai';

/** How the run machine treats a node type. Everything special about a type is declared here, never compared by name. */
export interface NodeTraits {
  /** `trigger`: a start node that receives the run's inputs. */
  readonly role: 'trigger' | 'step';
  /** `never`: an annotation that runs ignore. `error_flow`: root of the sub-graph that runs after the first error. */
  readonly schedule: 'normal' | 'never' | 'error_flow';
  /** End point kinds: `output` may return early, `json` and `html` become the whole response when they are the only terminal. */
  readonly terminal: 'none' | 'output' | 'json' | 'html';
  /** The machine repeats the body per item; the node's result must be `{ items: Json[] }`. */
  readonly loop: boolean;
  /** A failure of this node always ends the run, regardless of its error settings. */
  readonly always_stops: boolean;
  /** Retry and "continue on error" are offered. */
  readonly error_settings: boolean;
  /** Its steps and waits change nothing outside, so a test run needs no warning about it. */
  readonly only_waits: boolean;
  /** Its output has the status of an HTTP response, which the canvas shows when it is not one of success. */
  readonly answers_status: boolean;
  /** An agent may use nodes of this type as tools. */
  readonly as_tool: boolean;
  /**
   * Its results come from elsewhere, such as a page, a mail or a repository, and may hold instructions of strangers.
   * Unless it says otherwise, a node that asks other services does.
   */
  readonly returns_outside_content: boolean | ((data: JsonObject) => boolean);
  /** Its containers share a folder for as long as the run takes, as `ProgramJob.workspace` names it; empty: none. */
  readonly workspace: string;
}

export interface Ports {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Those of `outputs` that become live when the node first waits; nodes after them see the output shown at that time. */
  readonly at_pause?: readonly string[];
}

export interface FailingPort {
  readonly port: string;
  /** Error of the run. */
  readonly message: string;
}

/** Something wrong with a parameter in its company. `words` follow the name of the field: `cannot be Auto`. */
export interface ParamProblem {
  readonly field: string;
  readonly words: string;
}

export interface NodeDefinition<P extends z.ZodObject = z.ZodObject> {
  readonly type: string;
  readonly title: string;
  readonly family: NodeFamily;
  /** One line for the palette and the assistant. */
  readonly summary: string;
  /** Names that other products give it; the search of node types finds them, and they are never shown. */
  readonly search_words: readonly string[];
  /** A name of the icon set that the web app ships, or a drawing. */
  readonly icon: string | IconShape;
  readonly traits: NodeTraits;
  /** Parameters after evaluation. Defaults are those that a run uses when an export omits the key. */
  readonly params: P;
  /** Parameters that the editor writes into a freshly added node. */
  readonly initial: JsonObject;
  /** Problems of stored parameters taken together, such as choices that exclude each other. */
  readonly problems?: (data: JsonObject) => readonly ParamProblem[];
  readonly output?: z.ZodType;
  readonly ports: (data: JsonObject) => Ports;
  /**
   * An output that means failure, such as an expired upload. Nodes after it run, and the run ends with an error; if
   * nothing is connected, the node fails.
   */
  readonly failing_port?: FailingPort;
  readonly effect: Effect | ((data: JsonObject) => Effect);
  /** How it receives events as a start node; null: it is not fired from outside. */
  readonly receives: TriggerKind | null | ((data: JsonObject) => TriggerKind | null);
  /** Types of credentials that this folder declares; other nodes name them by their type. */
  readonly credentials: readonly CredentialType[];
  /** Other type names under which exports write this node. */
  readonly aliases: readonly string[];
  /** Version of the parameter shape; older stored data passes through `upgrade`. */
  readonly version: number;
  readonly upgrade?: (data: JsonObject, from: number) => JsonObject;
}

type Optional =
  | 'ports'
  | 'effect'
  | 'receives'
  | 'credentials'
  | 'aliases'
  | 'search_words'
  | 'version'
  | 'initial'
  | 'traits';
type NodeInput<P extends z.ZodObject> = Omit<NodeDefinition<P>, Optional> &
  Partial<Omit<Pick<NodeDefinition<P>, Optional>, 'traits'>> & { traits?: Partial<NodeTraits> };

const ORDINARY: Omit<NodeTraits, 'returns_outside_content'> = {
  role: 'step',
  schedule: 'normal',
  terminal: 'none',
  loop: false,
  always_stops: false,
  error_settings: true,
  only_waits: false,
  answers_status: false,
  as_tool: true,
  workspace: '',
};

/** Families of nodes that ask other services. */
const ASKS_SERVICES: readonly NodeFamily[] = ['network', 'integration'];

const DEFAULT_PORTS: Ports = { inputs: ['input'], outputs: ['output'] };

/** Declares a node type. The declaration is browser-safe: palette, form, validation, docs and engine use it. */
export function defineNode<P extends z.ZodObject>(input: NodeInput<P>): NodeDefinition<P> {
  const returns_outside_content = ASKS_SERVICES.includes(input.family);
  const traits = { ...ORDINARY, returns_outside_content, ...input.traits };
  const { role, schedule, terminal, loop } = traits;
  const isStep = role === 'step' && schedule === 'normal' && terminal === 'none' && !loop;
  return {
    effect: 'pure',
    receives: null,
    credentials: [],
    aliases: [],
    search_words: [],
    version: 1,
    initial: {},
    ports: () => DEFAULT_PORTS,
    ...input,
    traits: { ...traits, as_tool: traits.as_tool && isStep },
  };
}

type Receiving = Pick<NodeDefinition, 'receives'>;

/** How a node of this type and data is fired from outside; null: it is not. */
export const receivingKind = ({ receives }: Receiving, data: JsonObject): TriggerKind | null =>
  typeof receives === 'function' ? receives(data) : receives;

/** Whether a node starts runs: by its type, or by what its data chooses, as one that either sends or receives. */
export const isTrigger = (
  definition: Receiving & Pick<NodeDefinition, 'traits'>,
  data: JsonObject,
): boolean => definition.traits.role === 'trigger' || receivingKind(definition, data) !== null;

/** Lookup of node types by name or alias; unknown types are absent and run as pass-through. */
export interface Catalog {
  get(type: string): NodeDefinition | undefined;
  readonly all: readonly NodeDefinition[];
}

/** The effect of a node with these stored parameters. */
export const resolveEffect = ({ effect }: Pick<NodeDefinition, 'effect'>, data: JsonObject): Effect =>
  typeof effect === 'function' ? effect(data) : effect;
