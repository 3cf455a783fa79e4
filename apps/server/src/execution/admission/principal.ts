import { TRIGGER_SOURCES } from '../model/trigger-source.ts';
import type { ParentRun } from '../run/start/run-request.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';

/** Sends a request from outside and waits for its answer. */
export type CallerPrincipal =
  | UserPrincipal
  | ExecutionTokenPrincipal
  | McpPrincipal
  | PortalVisitor
  | HeaderPrincipal
  | AnonymousPrincipal;

/** Starts runs from inside the service. */
export type InternalPrincipal =
  | TriggerPrincipal
  | ParentRunPrincipal
  | BoardPrincipal
  | AlertPrincipal
  | EvalPrincipal
  | FailedTriggerPrincipal
  | ReviewerPrincipal;

/**
 * Who acts. Decided once at the door through which a request, an event or a decision comes in; admission, attribution
 * (§5.2 rule 6), limits and the history label (§6.3) follow from it alone.
 */
export type Principal = CallerPrincipal | InternalPrincipal;

/** A signed-in person. */
export interface UserPrincipal {
  readonly kind: 'user';
  readonly user_id: string;
  /** Whether the person may see the workflow; an anonymous workflow may be called without that. */
  readonly has_access: boolean;
}

/** The maker of an execution token of the workflow (§5.2). */
export interface ExecutionTokenPrincipal {
  readonly kind: 'execution_token';
  readonly user_id: string;
  readonly token_id: string;
}

/** The owner of an MCP key, or the person who granted an OAuth client access (§5.6). */
export interface McpPrincipal {
  readonly kind: 'mcp_key' | 'oauth_grant';
  readonly user_id: string;
  readonly client_id?: string;
  readonly scopes: readonly string[];
}

/** Uses the chat portal of the workflow (§5.5); without a name where the portal has no users. */
export interface PortalVisitor {
  readonly kind: 'portal_visitor';
  readonly username?: string;
  /** The visitor whose runs may be followed and stopped; absent without a login and a visitor token. */
  readonly visitor?: string;
}

/** Knows the header value of a workflow with `header_auth` (§5.1). */
export interface HeaderPrincipal {
  readonly kind: 'header';
}

export interface AnonymousPrincipal {
  readonly kind: 'anonymous';
}

/** One trigger node of the workflow. */
export interface TriggerPrincipal {
  readonly kind: 'trigger';
  readonly node_id: string;
  /** Label of §6.3; null where the specification leaves it unset. */
  readonly source: string | null;
}

/** A run that starts another one. */
export interface ParentRunPrincipal {
  readonly kind: 'parent_run';
  readonly cause: 'sub_workflow' | 'agent' | 'error_workflow';
  readonly run_as: string;
  readonly run: ParentRun;
}

/** The owner of a board (§5.7), on which a card was moved or run again. */
export interface BoardPrincipal {
  readonly kind: 'board';
  readonly run_as: string;
}

/** The owner of an alert whose condition holds. */
export interface AlertPrincipal {
  readonly kind: 'alert';
  readonly run_as: string;
}

/** The person who started an eval run through a draft of the workflow. */
export interface EvalPrincipal {
  readonly kind: 'eval';
  readonly run_as: string;
}

/** The owner of a workflow with a trigger that began to fail, for its error workflow. */
export interface FailedTriggerPrincipal {
  readonly kind: 'failed_trigger';
  readonly run_as: string;
}

/** Decides a wait by a one-time link, without a login. */
export interface ReviewerPrincipal {
  readonly kind: 'reviewer';
  readonly run_id: string;
}

/** The person whose access was checked; undefined for principals that prove something else. */
export function getUserId(principal: Principal): string | undefined {
  return 'user_id' in principal ? principal.user_id : undefined;
}

/** Whose credentials and global variables a run uses (§5.2 rule 6). */
export function runAs(principal: Principal, { settings }: PublishedWorkflow): string {
  if ('run_as' in principal) return principal.run_as;
  return getUserId(principal) ?? settings.owner_id;
}

/** Whether the principal is a person with access to the workflow, or holds a token of such a person. */
export function hasAccess(principal: Principal): boolean {
  return principal.kind === 'user' ? principal.has_access : getUserId(principal) !== undefined;
}

/** Label of the run in history (§6.3). Only callers of the API may choose their own. */
export function resolveSource(principal: Principal, chosen: string | undefined): string | null {
  switch (principal.kind) {
    case 'user':
    case 'execution_token':
    case 'header':
    case 'anonymous':
      return chosen ?? TRIGGER_SOURCES.api;
    case 'mcp_key':
    case 'oauth_grant':
      return TRIGGER_SOURCES.mcp;
    case 'portal_visitor':
      return TRIGGER_SOURCES.portal;
    case 'trigger':
      return principal.source;
    case 'parent_run':
      return TRIGGER_SOURCES[principal.cause];
    case 'board':
      return TRIGGER_SOURCES.board;
    case 'alert':
      return TRIGGER_SOURCES.alert;
    case 'eval':
      return TRIGGER_SOURCES.eval;
    case 'failed_trigger':
      return TRIGGER_SOURCES.error_workflow;
    case 'reviewer':
      return chosen ?? null;
    default:
      return principal satisfies never;
  }
}
