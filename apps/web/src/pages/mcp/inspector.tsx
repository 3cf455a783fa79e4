import type { McpFrame, McpWorkflow } from '@millrace/contracts';
import { isJsonObject, type JsonObject, readJsonText } from '@millrace/engine';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { type ServerId, useInspectMcp } from '../../data/mcp-servers.ts';
import { Button } from '../../ui/actions/button.tsx';
import { CodeBlock } from '../../ui/display/code-block.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { exampleArguments } from './example-arguments.ts';
import { useMcpTexts } from './texts/use-mcp-texts.ts';

const METHODS = ['tools/list', 'tools/call', 'resources/list', 'prompts/list'] as const;
type Method = (typeof METHODS)[number];
const METHOD_TEXTS = {
  'tools/list': 'method_list',
  'tools/call': 'method_call',
  'resources/list': 'method_resources',
  'prompts/list': 'method_prompts',
} as const;

function parsedObject(text: string): JsonObject | undefined {
  const value = readJsonText(text);
  return isJsonObject(value) ? value : undefined;
}

function Frames({ frames }: { frames: readonly McpFrame[] }) {
  const t = useMcpTexts();
  return (
    <ol className="flex flex-col gap-2" aria-label={t('frames')}>
      {frames.map(({ from, message }, index) => {
        const isNotification = from === 'server' && !('id' in message);
        const title = t(isNotification ? 'from_server_notification' : `from_${from}`);
        const label = `${index + 1}. ${title}`;
        return (
          <li key={label}>
            <CodeBlock wrap label={label} caption={title} code={JSON.stringify(message, null, 2)} />
          </li>
        );
      })}
    </ol>
  );
}

/** Sends requests to the server as a client would, and shows every frame. */
export function Inspector({
  server_id,
  workflows,
}: {
  server_id: ServerId;
  workflows: readonly McpWorkflow[];
}) {
  const t = useMcpTexts();
  const inspect = useInspectMcp(server_id);
  const [method, setMethod] = useState<Method>('tools/list');
  const [tool, setTool] = useState<string>();
  const [text, setText] = useState('{}');
  const [problem, setProblem] = useState<string>();
  const tools = workflows.filter(({ tool_name }) => tool_name !== null);
  const isCall = method === 'tools/call';
  const choose = (name: string) => {
    setTool(name);
    setProblem(undefined);
    const chosen = tools.find(({ tool_name }) => tool_name === name);
    if (chosen) setText(JSON.stringify(exampleArguments(chosen.tool.inputSchema), null, 2));
  };
  const send = () => {
    if (!isCall) return inspect.mutate({ method, params: {} });
    const given = parsedObject(text);
    if (!given || tool === undefined) return setProblem(t('not_json'));
    return inspect.mutate({ method, params: { name: tool, arguments: given, _meta: { progressToken: 1 } } });
  };
  // The default server alone offers prompts.
  const methods = METHODS.filter((one) => server_id === undefined || one !== 'prompts/list');
  return (
    <div className="flex flex-col gap-3">
      <Field label={t('method')}>
        {(control) => (
          <Select
            {...control}
            value={method}
            choices={methods.map((value) => ({ value, label: t(METHOD_TEXTS[value]), hint: value }))}
            onChange={setMethod}
          />
        )}
      </Field>
      {isCall ? (
        <>
          <Field label={t('tool')} hint={tools.length === 0 ? t('no_tools') : undefined}>
            {(control) => (
              <Select
                {...control}
                value={tool}
                placeholder={t('choose_tool')}
                disabled={tools.length === 0}
                choices={tools.map(({ tool_name, name }) => ({ value: tool_name ?? '', label: name }))}
                onChange={choose}
              />
            )}
          </Field>
          <Field label={t('arguments')} error={problem}>
            {(control) => (
              <TextArea
                {...control}
                mono
                rows={5}
                value={text}
                onChange={(event) => {
                  setText(event.target.value);
                  setProblem(undefined);
                }}
              />
            )}
          </Field>
        </>
      ) : null}
      <Button
        tone="primary"
        className="self-start"
        busy={inspect.isPending}
        disabled={isCall && tool === undefined}
        onClick={send}
      >
        <Send aria-hidden />
        {t('send')}
      </Button>
      {inspect.isError ? (
        <p role="alert" className="text-sm text-danger">
          {inspect.error.message}
        </p>
      ) : null}
      {inspect.data ? <Frames frames={inspect.data.frames} /> : null}
    </div>
  );
}
