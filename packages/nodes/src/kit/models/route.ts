import { isJsonObject, type JsonObject, NodeFailure } from '@millrace/engine';
import { type CallHooks, decide, type ModelCaller } from '@millrace/models';
import { type ModelRouterConfig, modelRouterConfig } from '../../model-router/credential.ts';
import type { Credential, NodeServices } from '../../services.ts';
import { wellFormed } from '../text/well-formed.ts';
import { openDecisionService } from './decision-service.ts';

/** The most that a decision model reads of a request, in characters. */
const MAX_SYSTEM = 2_000;
const MAX_MESSAGE = 4_000;

/** The model that a router has chosen (specification 2.7 and 3.5), as it is recorded. */
export type Route = {
  /** Of the option; used through the router, whose users need no share of their own. */
  credential_id: string;
  router_id: string;
  router: string;
  model: string;
  option: string;
  credential_name: string;
  /** Routing failed, and this is the option marked for that. */
  fallback: boolean;
  /** Why routing failed. */
  error: string | null;
};

export interface Routed {
  readonly credential_id: string;
  readonly system: string;
  readonly message: string;
  /** Names of the tools that the model may use. */
  readonly tools?: readonly string[];
}

/** Everything that a router needs of those who ask it. */
export interface RouteServices extends Pick<NodeServices, 'credential'> {
  /** Watches calls that are made with the credential. */
  readonly createHooks: (credential: Credential) => CallHooks;
}

/**
 * Asks a router for the model of a request. When that fails, the option marked as fallback is used and the reason is
 * recorded; without one the node fails. Null: the credential is no router.
 */
export async function chooseRoute(
  caller: ModelCaller,
  services: RouteServices,
  request: Routed,
): Promise<Route | null> {
  const router = await services.credential(request.credential_id);
  if (router.type !== 'model_router') return null;
  const config = parseConfig(router);
  const choice = await choose(caller, services, { router, config, request });
  const option = choice.option ?? config.options.find(({ is_default }) => is_default);
  if (!option) {
    throw new NodeFailure({
      kind: 'upstream',
      message: `The model router "${router.name}" could not choose a model: ${choice.error ?? ''}`,
    });
  }
  const credential = await services.credential(option.credential_id, router.id);
  return {
    credential_id: option.credential_id,
    router_id: router.id,
    router: router.name,
    model: option.model,
    option: option.label,
    credential_name: credential.name,
    fallback: choice.option === undefined,
    error: choice.error ?? null,
  };
}

function parseConfig({ name, values }: Credential): ModelRouterConfig {
  const parsed = modelRouterConfig.safeParse({ ...values });
  if (parsed.success) return parsed.data;
  throw new NodeFailure({
    kind: 'credential',
    message: `The model router "${name}" is not valid; complete it on the credentials page`,
    field: 'credentialId',
    final: true,
  });
}

type Option = ModelRouterConfig['options'][number];
type Choice =
  | { readonly option: Option; readonly error?: undefined }
  | { readonly option?: undefined; readonly error: string };

interface Choosing {
  readonly router: Credential;
  readonly config: ModelRouterConfig;
  readonly request: Routed;
}

async function choose(
  caller: ModelCaller,
  services: RouteServices,
  { router, config, request }: Choosing,
): Promise<Choice> {
  const timeout_ms = config.timeout_seconds * 1_000;
  try {
    const credential = await services.credential(config.decision_credential_id, router.id);
    const max_wait_ms = Math.min(caller.max_wait_ms, timeout_ms);
    const patient = { ...caller, max_wait_ms, ...services.createHooks(credential) };
    const body = buildQuestion(config, request);
    const answer = await decide(patient, openDecisionService(credential), { body, timeout_ms });
    return chosenIn(config, answer);
  } catch (error) {
    if (error instanceof NodeFailure && !caller.signal.aborted) return { error: error.failure.message };
    throw error;
  }
}

function buildQuestion(config: ModelRouterConfig, { system, message, tools = [] }: Routed): JsonObject {
  return {
    model: config.decision_model,
    state: {
      // A cut may go through a pair of surrogates, and many servers refuse half of one.
      system: wellFormed(system.slice(0, MAX_SYSTEM)),
      message: wellFormed(message.slice(0, MAX_MESSAGE)),
      tools: [...tools],
    },
    questions: {
      route: {
        type: 'choice',
        instructions: config.routing_instructions,
        criteria: Object.fromEntries(config.options.map(({ label, criteria }) => [label, criteria])),
      },
    },
  };
}

function chosenIn({ options }: ModelRouterConfig, { answers }: JsonObject): Choice {
  const route = isJsonObject(answers) ? answers['route'] : undefined;
  const choice = isJsonObject(route) ? route['choice'] : undefined;
  if (typeof choice !== 'string') return { error: 'the decision model chose nothing' };
  const option = options.find(({ label }) => label === choice);
  return option
    ? { option }
    : { error: `the decision model chose "${choice.slice(0, 100)}", which is not an option` };
}

/** The facts about routing in the row of the node (metadata `model_routing`). */
export function routingFacts(routes: readonly Route[]): JsonObject | undefined {
  const [first] = routes;
  if (!first) return undefined;
  return {
    model_routing: {
      routerLabel: first.router,
      routerCredentialId: first.router_id,
      calls: routes.map(({ model, option, credential_name, fallback, error }) => ({
        model,
        option,
        credentialName: credential_name,
        fallback,
        error,
      })),
    },
  };
}
