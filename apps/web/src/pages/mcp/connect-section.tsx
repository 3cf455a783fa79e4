import type { McpConfig, McpServerDetails } from '@millrace/contracts';
import { KeyRound } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type ServerId, useReplaceMcpKey } from '../../data/mcp-servers.ts';
import { Button } from '../../ui/actions/button.tsx';
import { CopyButton } from '../../ui/actions/copy-button.tsx';
import { CodeBlock } from '../../ui/display/code-block.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Section } from '../../ui/layout/page.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { showFailure } from '../../ui/overlays/toast.ts';
import { CLIENTS, clientConfig, KEY_PLACEHOLDER, type McpClient, serverName } from './client-configs.ts';
import { useMcpTexts } from './texts/use-mcp-texts.ts';

interface CopiedFieldProps {
  label: string;
  copy: string;
  value: string;
  hint?: ReactNode;
}

/** A value to take away. */
function CopiedField({ label, copy, value, hint }: CopiedFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <span className="flex items-center gap-1">
          <Input {...control} mono readOnly value={value} onFocus={(event) => event.target.select()} />
          <CopyButton text={value} label={copy} size="medium" />
        </span>
      )}
    </Field>
  );
}

interface ConnectSectionProps {
  server: McpConfig | McpServerDetails;
  server_id: ServerId;
  /** Absent for the default server. */
  name: string | undefined;
  /** The key in clear, right after it was made. */
  shown_key: string | undefined;
  onKey: (key: string) => void;
}

function KeyField({ server, server_id, name, shown_key, onKey }: ConnectSectionProps) {
  const t = useMcpTexts();
  const replace = useReplaceMcpKey();
  const hasKey = 'mcp_api_key_set' in server ? server.mcp_api_key_set : true;
  const make = async () => {
    const sure =
      !hasKey ||
      (await confirm({
        title: t('replace_title', { name: name ?? t('default_server') }),
        body: t('replace_body'),
        action: t('replace_key'),
        tone: 'danger',
      }));
    if (!sure) return;
    replace.mutate(server_id, {
      onSuccess: ({ mcp_api_key }) => onKey(mcp_api_key),
      onError: showFailure,
    });
  };
  return (
    <div className="flex flex-col gap-2">
      {shown_key === undefined ? (
        <p className="text-sm text-soft">{hasKey ? t('key_set') : t('key_none')}</p>
      ) : (
        <CopiedField label={t('key_value')} copy={t('copy_key')} value={shown_key} hint={t('key_new')} />
      )}
      <Button size="small" className="self-start" busy={replace.isPending} onClick={() => void make()}>
        <KeyRound aria-hidden />
        {hasKey ? t('replace_key') : t('create_key')}
      </Button>
    </div>
  );
}

/** Addresses, key and what to paste into a client. */
export function ConnectSection(props: ConnectSectionProps) {
  const { server, name, shown_key } = props;
  const t = useMcpTexts();
  const [client, setClient] = useState<McpClient>('claude_code');
  const { file, text } = clientConfig(client, {
    name: serverName(name),
    url: server.mcp_url,
    key: shown_key ?? KEY_PLACEHOLDER,
  });
  return (
    <Section title={t('connect')} hint={t('connect_hint')}>
      <div className="flex flex-col gap-4">
        <CopiedField label={t('address')} copy={t('copy_address')} value={server.mcp_url} />
        <CopiedField label={t('address_sse')} copy={t('copy_address')} value={server.mcp_endpoint_url} />
        <KeyField {...props} />
        <Field
          label={t('client')}
          hint={shown_key === undefined ? t('config_key', { placeholder: KEY_PLACEHOLDER }) : undefined}
        >
          {(control) => (
            <Select
              {...control}
              value={client}
              choices={CLIENTS.map((value) => ({ value, label: t(`client_${value}`) }))}
              onChange={setClient}
            />
          )}
        </Field>
        <CodeBlock
          wrap
          label={t('config_for', { client: t(`client_${client}`) })}
          caption={file === undefined ? t('config_terminal') : t('config_file', { file })}
          code={text}
        />
      </div>
    </Section>
  );
}
