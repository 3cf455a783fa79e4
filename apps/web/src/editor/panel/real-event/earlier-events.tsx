import type { Json } from '@millrace/engine';
import { useQueryClient } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useFormatter } from 'use-intl';
import { runQuery, useStartedBy } from '../../../data/runs.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { Menu, type MenuItem } from '../../../ui/actions/menu.tsx';
import { showFailure } from '../../../ui/overlays/toast.ts';
import { useEditor } from '../../state/context.tsx';
import { usePanelTexts } from '../texts/use-panel-texts.ts';

interface EarlierEventsProps {
  node_id: string;
  onChoose: (input: Json) => void;
}

/** The last events that started a run of the published node. */
export function EarlierEvents({ node_id, onChoose }: EarlierEventsProps) {
  const t = usePanelTexts('real_event');
  const format = useFormatter();
  const { workflow_id } = useEditor();
  const client = useQueryClient();
  const { data } = useStartedBy(workflow_id, node_id);
  const choose = (id: string) =>
    client.fetchQuery(runQuery(id)).then(({ inputs }) => onChoose(inputs as Json), showFailure);
  const items: MenuItem[] =
    data && data.length > 0
      ? data.map(({ id, started_at }) => ({
          label: format.dateTime(new Date(started_at), { dateStyle: 'medium', timeStyle: 'medium' }),
          onSelect: () => void choose(id),
        }))
      : [{ kind: 'heading', label: t('none') }];
  return (
    <Menu items={items}>
      <Button size="small" tone="quiet">
        <History aria-hidden />
        {t('recent')}
      </Button>
    </Menu>
  );
}
