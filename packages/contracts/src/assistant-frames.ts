import { z } from 'zod';
import { uuid } from './common.ts';
import { graphEdge, graphNode } from './graph.ts';
import { versionDiff } from './workflow-versions.ts';
import { workflowProblem } from './workflows.ts';

/** Arguments of a tool, as the assistant proposed them. */
export const toolArguments = z.record(z.string(), z.unknown());

/** A change that the assistant makes only after a person has confirmed it. */
export const confirmationFrame = z.object({
  type: z.literal('confirmation'),
  token: z.string(),
  tool: z.string(),
  arguments: toolArguments,
  summary: z.string(),
  expires_at: z.string(),
});
export type AssistantConfirmationFrame = z.infer<typeof confirmationFrame>;

export const workflowProposal = z
  .object({
    name: z.string(),
    nodes: z.array(graphNode),
    edges: z.array(graphEdge),
    /** The tasks that are still to be done, mostly credentials to choose. */
    problems: z.array(workflowProblem),
  })
  .meta({ id: 'WorkflowProposal' });
export type WorkflowProposal = z.infer<typeof workflowProposal>;

/** A workflow that the assistant proposes. */
export const proposedChange = z.object({
  workflow: workflowProposal,
  /** The differences from `current_workflow` of the request. */
  changes: versionDiff.pick({ node_changes: true, edge_changes: true }),
});
export type ProposedChange = z.infer<typeof proposedChange>;

/** A text file of a skill; the path is relative to the skill. */
export const skillFile = z.object({ path: z.string(), content: z.string() });
export type SkillFile = z.infer<typeof skillFile>;

/** One frame of an assistant's stream; the last one is `done` or `error`. */
export const assistantFrame = z.discriminatedUnion('type', [
  /** The first frame of a turn in a chat. */
  z.object({
    type: z.literal('chat'),
    chat_id: uuid,
    /** Null when the request has only a decision. */
    question_id: uuid.nullable(),
    answer_id: uuid,
  }),
  z.object({ type: z.literal('step'), label: z.string(), tool: z.string() }),
  z.object({ type: z.literal('content'), text: z.string() }),
  z.object({
    type: z.literal('tool_output'),
    tool: z.string(),
    images: z.array(z.string()),
    /** Of a run that was started; null for other tools. */
    run_id: uuid.nullable(),
    workflow_id: uuid.nullable(),
    status: z.string().nullable(),
  }),
  z.object({
    type: z.literal('workflow_pending'),
    summary: z.string(),
    draft_text: z.string(),
    review_url: z.string(),
  }),
  confirmationFrame,
  proposedChange.extend({ type: z.literal('workflow_proposal') }),
  /** All files of a skill, `SKILL.md` first. */
  z.object({ type: z.literal('skill_files_update'), files: z.array(skillFile) }),
  z.object({ type: z.literal('done') }),
  z.object({ type: z.literal('error'), message: z.string() }),
]);
export type AssistantFrame = z.infer<typeof assistantFrame>;
