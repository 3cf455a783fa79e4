import type { McpWorkflow } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { type ServerId, useSwitchMcpWorkflow } from '../../data/mcp-servers.ts';
import { Button, buttonStyle } from '../../ui/actions/button.tsx';
import { CodeBlock } from '../../ui/display/code-block.tsx';
import { Switch } from '../../ui/forms/toggles.tsx';
import { showFailure } from '../../ui/overlays/toast.ts';
import { useMcpTexts } from './texts/use-mcp-texts.ts';

function WorkflowRow({ server_id, workflow }: { server_id: ServerId; workflow: McpWorkflow }) {
  const t = useMcpTexts();
  const change = useSwitchMcpWorkflow(server_id);
  const { id, name, mcp_enabled, tool_name, new_tool_name, tool } = workflow;
  const state = tool_name === null ? t('unpublished') : t('tool_name', { name: tool_name });
  const send = (enabled: boolean, use_new_name = false) =>
    change.mutate({ workflow_id: id, enabled, use_new_name }, { onError: showFailure });
  return (
    <li className="border-b border-line py-2.5 last:border-b-0">
      <div className="flex items-start justify-between gap-3">
        <span className="min-w-0">
          <Link to="/workflows/$id" params={{ id }} className="font-medium break-words hover:underline">
            {name}
          </Link>
          {mcp_enabled ? <span className="block text-sm break-words text-faint">{state}</span> : null}
          {new_tool_name === null ? null : (
            <>
              <span className="block text-sm break-words text-soft">
                {t('new_name', { name: new_tool_name })}
              </span>
              <Button
                size="small"
                className="mt-1"
                aria-label={t('use_new_name_of', { name })}
                busy={change.isPending}
                onClick={() => send(true, true)}
              >
                {t('use_new_name')}
              </Button>
            </>
          )}
        </span>
        <Switch
          hideLabel
          label={t('offer', { name })}
          checked={mcp_enabled}
          disabled={change.isPending}
          onChange={(enabled) => send(enabled)}
        />
      </div>
      <details className="mt-1">
        <summary className="cursor-pointer text-sm text-soft" aria-label={t('seen', { name })}>
          {t('show_schema')}
        </summary>
        <CodeBlock
          className="mt-2"
          label={t('seen', { name })}
          code={JSON.stringify(tool_name === null ? tool : { name: tool_name, ...tool }, null, 2)}
        />
      </details>
    </li>
  );
}

/** A switch for each workflow, with what a client sees of it. */
export function OfferedWorkflows({
  server_id,
  workflows,
}: {
  server_id: ServerId;
  workflows: readonly McpWorkflow[];
}) {
  const t = useMcpTexts();
  if (workflows.length === 0)
    return (
      <div className="flex flex-col items-start gap-3">
        <p className="text-sm text-soft">{t('workflows_none')}</p>
        <Link to="/" className={buttonStyle({ tone: 'primary' })}>
          {t('to_workflows')}
        </Link>
      </div>
    );
  return (
    <ul>
      {workflows.map((workflow) => (
        <WorkflowRow key={workflow.id} server_id={server_id} workflow={workflow} />
      ))}
    </ul>
  );
}
