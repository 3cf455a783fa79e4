import type { Workflow } from '@millrace/contracts';
import { useDocument } from '../../../features/document/context.ts';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';
import { Input } from '../../../ui/forms/input.tsx';
import { Checkbox, Switch } from '../../../ui/forms/toggles.tsx';
import type { SettingsChange } from './settings-change.ts';
import { useEndpointTexts } from './texts/use-endpoint-texts.ts';

interface StreamTabProps {
  workflow: Workflow;
  onChange: (change: SettingsChange) => void;
}

/** Streaming and the start message of each node; an empty message is the default one. */
export function StreamTab({ workflow, onChange }: StreamTabProps) {
  const t = useEndpointTexts();
  const nodes = useDocument((state) => state.document.nodes);
  const locked = workflow.access !== 'owner';
  const config = workflow.sse_node_config;
  const set = (id: string, part: Partial<{ send_start: boolean; start_message: string | null }>) => {
    const before = config[id] ?? { send_start: false, start_message: null };
    onChange({ sse_node_config: { ...config, [id]: { ...before, ...part } } });
  };
  return (
    <div className="flex flex-col gap-3 p-4">
      <Switch
        label={t('sse_enabled')}
        hint={t('sse_hint')}
        disabled={locked}
        checked={workflow.sse_enabled}
        onChange={(sse_enabled) => onChange({ sse_enabled })}
      />
      <ul className="flex flex-col gap-2">
        {nodes
          .filter((node) => node.type !== 'sticky')
          .map((node) => (
            <li key={node.id} className="grid grid-cols-[minmax(120px,1fr)_2fr] items-center gap-2">
              <Checkbox
                label={getNodeLabel(node)}
                disabled={locked}
                checked={config[node.id]?.send_start ?? false}
                onChange={(send_start) => set(node.id, { send_start })}
              />
              <Input
                aria-label={t('start_message_of', { label: getNodeLabel(node) })}
                placeholder={`[START] ${getNodeLabel(node)}`}
                disabled={locked || !(config[node.id]?.send_start ?? false)}
                defaultValue={config[node.id]?.start_message ?? ''}
                onBlur={(event) =>
                  set(node.id, { start_message: event.target.value === '' ? null : event.target.value })
                }
              />
            </li>
          ))}
      </ul>
    </div>
  );
}
