import { type BoardCard, type BoardColor, type BoardColumn, createBoardCard } from '@millrace/contracts';
import { clsx } from 'clsx';
import { Ellipsis, Pencil, Plus, Trash2, Workflow } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Menu } from '../../ui/actions/menu.tsx';
import { Count } from '../../ui/display/status-chip.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { useBoardsTexts } from './texts/use-boards-texts.ts';

export const COLORS: Readonly<Record<BoardColor, string>> = {
  gray: 'bg-column-gray',
  blue: 'bg-column-blue',
  green: 'bg-column-green',
  amber: 'bg-column-amber',
  red: 'bg-column-red',
  purple: 'bg-column-purple',
  teal: 'bg-column-teal',
  pink: 'bg-column-pink',
};

interface ColumnViewProps {
  column: BoardColumn;
  cards: readonly BoardCard[];
  mayWrite: boolean;
  /** A card is over it. */
  isTarget: boolean;
  /** Only the cards that a search has found are there. */
  isFiltered: boolean;
  /** More cards than the page has loaded. */
  hidden: number;
  onEdit: () => void;
  onDelete: () => void;
  onAdd: (title: string) => Promise<unknown>;
  children: ReactNode;
}

function Heading({ column, mayWrite, onEdit, onDelete }: Omit<ColumnViewProps, 'children'>) {
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  const { name, workflows } = column;
  return (
    <header className="flex items-center gap-2 px-3 pt-2.5">
      <span className={clsx('size-2.5 shrink-0 rounded-full', COLORS[column.color])} aria-hidden />
      <h2 className="min-w-0 truncate font-semibold" title={name}>
        {name}
      </h2>
      <Count value={column.card_count} />
      {workflows.length > 0 ? (
        <span
          className="inline-flex items-center gap-1 text-sm text-faint"
          title={workflows.map(({ workflow_name }) => workflow_name).join(' → ')}
        >
          <Workflow className="size-3.5" aria-hidden />
          <span className="sr-only">{t('workflows')}</span>
          {workflows.length}
        </span>
      ) : null}
      {mayWrite ? (
        <Menu
          items={[
            { label: t('edit_column'), icon: <Pencil aria-hidden />, onSelect: onEdit },
            { kind: 'separator' },
            { label: t('delete_column'), icon: <Trash2 aria-hidden />, tone: 'danger', onSelect: onDelete },
          ]}
        >
          <IconButton
            size="small"
            tooltip={false}
            className="ml-auto"
            label={ui('actions_for', { name })}
            icon={<Ellipsis aria-hidden />}
          />
        </Menu>
      ) : null}
    </header>
  );
}

function NewCard({ column, onAdd }: Pick<ColumnViewProps, 'column' | 'onAdd'>) {
  const t = useBoardsTexts();
  const [state, setState] = useState<'initial' | 'open' | 'closed'>('initial');
  if (state === 'open') return <NewCardForm onAdd={onAdd} onClose={() => setState('closed')} />;
  return (
    <Button
      tone="quiet"
      size="small"
      // The field that had the focus is gone.
      autoFocus={state === 'closed'}
      aria-label={t('add_card_to', { name: column.name })}
      onClick={() => setState('open')}
    >
      <Plus aria-hidden />
      {t('add_card')}
    </Button>
  );
}

function NewCardForm({ onAdd, onClose }: Pick<ColumnViewProps, 'onAdd'> & { onClose: () => void }) {
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  const typed = useRef('');
  const form = useForm({
    initial: { title: '' },
    schema: createBoardCard.body,
    submit: async ({ title }) => {
      // At once, not when the card is stored: by then the next title may be typed.
      form.change({ title: '' });
      try {
        await onAdd(title);
      } catch (error) {
        form.change({ title: `${title} ${typed.current}`.trim() });
        throw error;
      }
    },
  });
  typed.current = form.values.title;
  return (
    <form {...form.props} className="flex flex-col gap-2">
      <FormProblem text={form.problem} />
      <Field label={t('card_title')} hideLabel error={form.errors['title']}>
        {(control) => (
          <Input
            {...control}
            autoFocus
            autoComplete="off"
            placeholder={t('card_title')}
            value={form.values.title}
            onChange={(event) => form.change({ title: event.target.value })}
            onKeyDown={(event) => {
              if (event.key === 'Escape') onClose();
            }}
          />
        )}
      </Field>
      <span className="flex gap-2">
        <Button type="submit" size="small" tone="primary" busy={form.busy}>
          {t('add')}
        </Button>
        <Button size="small" onClick={onClose}>
          {ui('cancel')}
        </Button>
      </span>
    </form>
  );
}

/** A column with its cards, its menu and the line for a new card. */
export function ColumnView(props: ColumnViewProps) {
  const t = useBoardsTexts();
  const { column, cards, mayWrite, isTarget, isFiltered, hidden, onAdd, children } = props;
  return (
    <section
      data-board-column={column.id}
      aria-label={column.name}
      className={clsx(
        'flex max-h-full w-[84vw] shrink-0 flex-col rounded-l border bg-sunken sm:w-72',
        isTarget ? 'border-accent-line' : 'border-line',
      )}
    >
      <Heading {...props} />
      <div
        role="region"
        aria-label={t('cards_of', { name: column.name })}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reached by keyboard
        tabIndex={0}
        className="min-h-12 grow overflow-y-auto px-2 pt-1.5 pb-1"
      >
        <ul className="flex flex-col gap-2">{children}</ul>
        {cards.length === 0 ? (
          <p className="px-1 py-3 text-sm text-soft">
            {mayWrite && !isFiltered ? t('no_cards') : t('no_cards_here')}
          </p>
        ) : null}
        {hidden > 0 ? (
          <p className="px-1 py-3 text-sm text-soft">{t('hidden_cards', { count: hidden })}</p>
        ) : null}
      </div>
      {mayWrite ? (
        <div className="px-2 pt-1 pb-2">
          <NewCard column={column} onAdd={onAdd} />
        </div>
      ) : null}
    </section>
  );
}
