import { isJsonObject, type JsonObject, NodeFailure } from '@millrace/engine';
import { OutsideContent } from '../../kit/runs/outside-content.ts';
import { runSubWorkflow } from '../../kit/runs/sub-workflow.ts';
import type { SubWorkflowFacts } from '../../services.ts';
import { MAX_DEPTH } from './sub-agents.ts';
import { type AgentCall, type Tool, type Used, usedInSteps } from './tool.ts';

interface Known {
  readonly id: string;
  readonly facts: SubWorkflowFacts;
}

/** `call_sub_workflow`: other workflows, each run with a row of its own and the source `AI Agents`. */
export async function subWorkflowTools(call: AgentCall): Promise<Tool[]> {
  const ids = [...new Set(call.params.subWorkflowIds.map((id) => id.trim()).filter((id) => id !== ''))];
  if (ids.length === 0) return [];
  const described = await call.step<(SubWorkflowFacts | null)[]>('sub-workflows', 'read', () =>
    Promise.all(ids.map((id) => call.services.subWorkflow.describe(id))),
  );
  const known = ids.flatMap((id, at): Known[] => {
    const facts = described[at];
    if (!facts) {
      const name = call.params.subWorkflowNames[id] ?? id;
      call.services.log(
        'warn',
        `The agent cannot use the workflow "${name}": it does not exist or is not shared`,
      );
    }
    return facts ? [{ id, facts }] : [];
  });
  if (known.length === 0) return [];
  return [
    {
      definition: {
        name: 'call_sub_workflow',
        description: `Runs a workflow and returns its outputs. Workflows: ${known.map(inWords).join('; ')}`,
        input_schema: {
          type: 'object',
          properties: {
            workflow_id: { type: 'string', enum: known.map(({ id }) => id) },
            inputs: { type: 'object', description: 'Values by the names of the inputs of that workflow' },
          },
          required: ['workflow_id'],
          additionalProperties: false,
        },
      },
      source: 'sub_workflow',
      is_parallel: false,
      reports_outside: true,
      getWorkflowName: (input) =>
        isJsonObject(input) ? known.find(({ id }) => id === input['workflow_id'])?.facts.name : undefined,
      use: (input, key) => usedInSteps(call, key, () => runOne(call, known, { input, key })),
    },
  ];
}

function inWords({ id, facts: { name, description, keys } }: Known): string {
  const about = description.trim() === '' ? '' : ` (${description.trim().slice(0, 200)})`;
  return `${id} = "${name}"${about}, inputs: ${keys.length === 0 ? 'none' : keys.join(', ')}`;
}

async function runOne(
  call: AgentCall,
  known: readonly Known[],
  { input, key }: { input: JsonObject; key: string },
): Promise<Omit<Used, 'elapsed_ms'>> {
  const workflow = known.find(({ id }) => id === input['workflow_id']);
  if (!workflow) throw refused(`There is no workflow ${JSON.stringify(input['workflow_id'])}`);
  if (call.services.subWorkflow.depth >= MAX_DEPTH) {
    throw refused(`Workflows call each other more than ${MAX_DEPTH} levels deep`);
  }
  const inputs = isJsonObject(input['inputs']) ? input['inputs'] : {};
  const outcome = await runSubWorkflow(
    call,
    {
      workflow_id: workflow.id,
      input: { ...workflow.facts.defaults, ...inputs },
      wait: true,
      cause: 'agent',
      outside_content: new OutsideContent(call).isRead || call.services.outsideContent.isReadInRun(),
      // Finds the run that was already started, so that a crash never starts a second one.
      idempotency_key: `${call.idempotency_key}:${key}`,
    },
    `${key}/`,
  );
  if (outcome.kind !== 'finished') throw refused('The workflow does not exist or is not shared with you');
  const { status, outputs, execution_time_ms, outside_content = false } = outcome;
  const error = status !== 'success' && isJsonObject(outputs) ? outputs['error'] : undefined;
  return {
    result: { status, outputs, execution_time_ms, ...(error === undefined ? {} : { error }) },
    ...(outside_content ? { outside_content } : {}),
  };
}

const refused = (message: string): NodeFailure => new NodeFailure({ kind: 'limit', message, final: true });
