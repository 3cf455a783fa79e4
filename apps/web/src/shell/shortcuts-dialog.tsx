import { useTranslations } from 'use-intl';
import { allCommands, type Command, useCommandStore } from '../lib/commands.ts';
import { Keys } from '../ui/display/keys.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';

interface Row {
  title: string;
  keys: string;
}

function List({ heading, rows }: { heading: string; rows: readonly Row[] }) {
  if (rows.length === 0) return null;
  return (
    <section className="break-inside-avoid pb-4">
      <h3 className="pb-1 text-sm font-medium text-faint">{heading}</h3>
      <dl>
        {rows.map((row) => (
          <div
            key={row.keys}
            className="flex min-h-7 items-center justify-between gap-4 border-b border-line py-1 last:border-0"
          >
            <dt>{row.title}</dt>
            <dd>
              <Keys keys={row.keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Every shortcut that works on this page, collected from the commands themselves. */
export function ShortcutsDialog({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const t = useTranslations('shortcuts');
  const sources = useCommandStore((state) => state.sources);
  const withKeys = allCommands(sources).filter(
    (command): command is Command & Row => command.keys !== undefined,
  );
  const of = (scope: Command['scope']) => withKeys.filter((command) => (command.scope ?? 'page') === scope);
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('title')} size="large">
      <div className="gap-10 sm:columns-2">
        <List heading={t('page')} rows={of('page')} />
        <List heading={t('everywhere')} rows={of('everywhere')} />
        <List
          heading={t('lists')}
          rows={[
            { title: t('list_move'), keys: '↑ ↓' },
            { title: t('list_open'), keys: 'Enter' },
          ]}
        />
        <List heading={t('go')} rows={of('go')} />
      </div>
    </Dialog>
  );
}
