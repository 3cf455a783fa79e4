import { createMcpServer } from '@millrace/contracts';
import { Ellipsis, Plus, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import {
  type ServerId,
  useCreateMcpServer,
  useDeleteMcpServer,
  useMcpServer,
  useMcpServers,
} from '../../data/mcp-servers.ts';
import { type Command, useCommands } from '../../lib/commands.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Menu } from '../../ui/actions/menu.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { NameField } from '../../ui/forms/name-fields.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { Page, Section } from '../../ui/layout/page.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { ConnectSection } from './connect-section.tsx';
import { Inspector } from './inspector.tsx';
import { OfferedWorkflows } from './offered-workflows.tsx';
import { Sessions } from './sessions.tsx';
import { useMcpTexts } from './texts/use-mcp-texts.ts';

/** A key in clear, while the page that made it is open. */
export interface ShownKey {
  readonly server_id: ServerId;
  readonly key: string;
}

interface NewServerProps {
  onMade: (server: ShownKey) => void;
  onClose: () => void;
}

function NewServerDialog({ onMade, onClose }: NewServerProps) {
  const t = useMcpTexts();
  const create = useCreateMcpServer();
  const form = useForm({
    initial: { name: '' },
    schema: createMcpServer.body,
    submit: async (values) => {
      const { id, name, mcp_api_key } = await create.mutateAsync({ body: values });
      onMade({ server_id: id, key: mcp_api_key });
      onClose();
      toast.done(t('created', { name }));
    },
  });
  return (
    <FormDialog
      form={form}
      size="small"
      title={t('new')}
      description={t('new_hint')}
      action={t('create')}
      onClose={onClose}
    >
      <NameField form={form} />
    </FormDialog>
  );
}

/** Radix takes no undefined value, so the default server has a word of its own in the choice. */
const DEFAULT = 'default';

interface ServerViewProps {
  server_id: ServerId;
  name: string | undefined;
  shown: ShownKey | undefined;
  onKey: (shown: ShownKey) => void;
}

function ServerView({ server_id, name, shown, onKey }: ServerViewProps) {
  const t = useMcpTexts();
  const server = useMcpServer(server_id);
  if (server.isPending) return <SkeletonRows rows={6} />;
  if (server.isLoadingError) return <LoadFailed error={server.error} onRetry={() => void server.refetch()} />;
  const { workflows } = server.data;
  return (
    <div className="mx-auto max-w-5xl px-4 sm:px-5">
      <ConnectSection
        server={server.data}
        server_id={server_id}
        name={name}
        shown_key={shown?.server_id === server_id ? shown?.key : undefined}
        onKey={(key) => onKey({ server_id, key })}
      />
      <Section title={t('workflows')} hint={t('workflows_hint')}>
        <OfferedWorkflows server_id={server_id} workflows={workflows} />
      </Section>
      <Section title={t('sessions')} hint={t('sessions_hint')}>
        <Sessions />
      </Section>
      <Section title={t('inspector')} hint={t('inspector_hint')}>
        <Inspector key={server_id ?? DEFAULT} server_id={server_id} workflows={workflows} />
      </Section>
    </div>
  );
}

/** MCP servers of the person: how clients connect, which workflows they see, and a try. */
export function McpPage() {
  const t = useMcpTexts();
  const ui = useTranslations('ui');
  const servers = useMcpServers();
  const [chosen, setChosen] = useState<ServerId>();
  const [shown, setShown] = useState<ShownKey>();
  const [isNew, setNew] = useState(false);
  const { mutate: remove } = useDeleteMcpServer();
  const title = t('new');
  useCommands(
    useMemo<Command[]>(
      () => [{ id: 'mcp.new', title, icon: <Plus aria-hidden />, keys: 'n', run: () => setNew(true) }],
      [title],
    ),
  );
  const current = servers.data?.find(({ id }) => id === chosen);
  const onDelete = async () => {
    if (!current) return;
    const { id, name } = current;
    const sure = await confirm({
      title: t('delete_title', { name }),
      body: t('delete_body'),
      action: t('delete'),
      tone: 'danger',
    });
    if (!sure) return;
    remove(id, {
      onSuccess: () => {
        setChosen(undefined);
        toast.done(t('deleted', { name }));
      },
      onError: showFailure,
    });
  };
  return (
    <Page
      title={t('title')}
      actions={
        <Button tone="primary" onClick={() => setNew(true)}>
          <Plus aria-hidden />
          {title}
        </Button>
      }
      toolbar={
        <>
          <Select
            fit
            aria-label={t('server')}
            value={current?.id ?? DEFAULT}
            choices={[
              { value: DEFAULT, label: t('default_server') },
              ...(servers.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(value) => setChosen(value === DEFAULT ? undefined : value)}
          />
          {current ? (
            <Menu
              items={[
                {
                  label: t('delete'),
                  icon: <Trash2 aria-hidden />,
                  tone: 'danger',
                  onSelect: () => void onDelete(),
                },
              ]}
            >
              <IconButton
                tooltip={false}
                label={ui('actions_for', { name: current.name })}
                icon={<Ellipsis aria-hidden />}
              />
            </Menu>
          ) : null}
        </>
      }
    >
      {servers.isLoadingError ? (
        <LoadFailed error={servers.error} onRetry={() => void servers.refetch()} />
      ) : (
        <ServerView server_id={current?.id} name={current?.name} shown={shown} onKey={setShown} />
      )}
      {isNew ? (
        <NewServerDialog
          onMade={(made) => {
            setShown(made);
            setChosen(made.server_id);
          }}
          onClose={() => setNew(false)}
        />
      ) : null}
    </Page>
  );
}
