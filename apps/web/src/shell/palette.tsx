import type { WorkflowSummary } from '@millrace/contracts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command as Primitive } from 'cmdk';
import { Search } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { workflowListQuery } from '../data/workflows.ts';
import { allCommands, type Command, useCommandStore } from '../lib/commands.ts';
import { bestMatches } from '../lib/fuzzy.ts';
import { Keys } from '../ui/display/keys.tsx';
import { WorkflowGlyph } from '../ui/graph/workflow-glyph.tsx';

const WORKFLOW_LIMIT = 30;

interface PaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

interface ItemProps {
  id: string;
  icon: ReactNode;
  title: string;
  detail?: string | undefined;
  keys?: string | undefined;
  onSelect: () => void;
}

function Item({ id, icon, title, detail, keys, onSelect }: ItemProps) {
  return (
    <Primitive.Item
      value={id}
      onSelect={onSelect}
      className="flex h-9 cursor-default items-center gap-2.5 rounded-m px-2 text-base data-[selected=true]:bg-active pointer-coarse:h-12 [&>svg]:size-4 [&>svg]:text-faint"
    >
      {icon}
      <span className="max-w-[75%] shrink-0 truncate">{title}</span>
      {detail ? <span className="min-w-0 truncate text-sm text-faint">{detail}</span> : null}
      {keys ? (
        <span className="ml-auto">
          <Keys keys={keys} />
        </span>
      ) : null}
    </Primitive.Item>
  );
}

const GROUP =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-faint';

/** Everything by name: workflows, places, commands. */
export default function Palette({ open, onOpenChange }: PaletteProps) {
  const t = useTranslations('palette');
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-enter bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-x-2 top-2 z-50 mx-auto max-w-[620px] animate-rise overflow-hidden rounded-l border border-line-strong bg-raised shadow-l sm:top-[14vh]"
        >
          <Dialog.Title className="sr-only">{t('title')}</Dialog.Title>
          <PaletteBody close={() => onOpenChange(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const NONE: WorkflowSummary[] = [];
const withoutDeleted = (workflows: WorkflowSummary[]) =>
  workflows.filter((workflow) => workflow.scheduled_for_deletion === null);

function PaletteBody({ close }: { close: () => void }) {
  const t = useTranslations('palette');
  const navigate = useNavigate();
  const [words, setWords] = useState('');
  const sources = useCommandStore((state) => state.sources);
  const { data: workflows = NONE } = useQuery({ ...workflowListQuery, select: withoutDeleted });
  const [selected, setSelected] = useState('');

  const commands = useMemo(() => {
    const offered = allCommands(sources).filter((command) => !command.keysOnly);
    return bestMatches(offered, words, (command) => [command.title, command.words ?? '']);
  }, [sources, words]);
  const found = useMemo(
    () =>
      bestMatches(workflows, words, (workflow) => [workflow.name, workflow.description ?? '']).slice(
        0,
        words === '' ? 6 : WORKFLOW_LIMIT,
      ),
    [workflows, words],
  );
  const pages = commands.filter((command) => command.scope === 'go');
  const rest = commands.filter((command) => command.scope !== 'go');
  const [first] = [
    ...found.map((workflow) => `workflow.${workflow.id}`),
    ...rest.map(({ id }) => id),
    ...pages.map(({ id }) => id),
  ];
  // New words mean a new best match; Enter must open that one.
  useEffect(() => setSelected(first ?? ''), [first, words]);
  const choose = (run: () => void) => () => {
    close();
    run();
  };
  const commandItem = (command: Command) => (
    <Item
      key={command.id}
      id={command.id}
      icon={command.icon}
      title={command.title}
      keys={command.keys}
      onSelect={choose(command.run)}
    />
  );

  return (
    <Primitive
      label={t('title')}
      shouldFilter={false}
      loop
      value={selected}
      onValueChange={setSelected}
      className="flex max-h-[min(70dvh,480px)] flex-col"
    >
      <div className="flex items-center gap-2.5 border-b border-line px-3.5">
        <Search className="size-4 shrink-0 text-faint" aria-hidden />
        <Primitive.Input
          autoFocus
          value={words}
          onValueChange={setWords}
          placeholder={t('placeholder')}
          className="h-12 w-full bg-transparent text-lg outline-none"
        />
      </div>
      <Primitive.List className="min-h-0 grow overflow-y-auto p-1.5 pb-2">
        <Primitive.Empty className="px-3 py-8 text-center text-soft">{t('empty', { words })}</Primitive.Empty>
        {found.length > 0 ? (
          <Primitive.Group heading={words === '' ? t('recent') : t('workflows')} className={GROUP}>
            {found.map((workflow) => (
              <Item
                key={workflow.id}
                id={`workflow.${workflow.id}`}
                icon={<WorkflowGlyph type={workflow.first_node_type} size="small" />}
                title={workflow.name}
                detail={workflow.description ?? undefined}
                onSelect={choose(() => void navigate({ to: '/workflows/$id', params: { id: workflow.id } }))}
              />
            ))}
          </Primitive.Group>
        ) : null}
        {rest.length > 0 ? (
          <Primitive.Group heading={t('commands')} className={GROUP}>
            {rest.map(commandItem)}
          </Primitive.Group>
        ) : null}
        {pages.length > 0 ? (
          <Primitive.Group heading={t('pages')} className={GROUP}>
            {pages.map(commandItem)}
          </Primitive.Group>
        ) : null}
      </Primitive.List>
      <footer className="hidden items-center gap-1.5 border-t border-line px-3.5 py-2 text-sm text-faint sm:flex">
        <Keys keys="↑ ↓" /> {t('hint')} <Keys keys="enter" /> {t('hint_open')}
      </footer>
    </Primitive>
  );
}
