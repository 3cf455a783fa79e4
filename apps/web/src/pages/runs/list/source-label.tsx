import {
  CalendarClock,
  FileUp,
  Globe,
  type LucideIcon,
  Mail,
  MessageSquare,
  MousePointer2,
  Plug,
  Webhook,
  Workflow,
} from 'lucide-react';
import { useTranslations } from 'use-intl';
import { useRunsTexts } from '../texts/use-runs-texts.ts';

/** Icons of the labels that the service gives (§6.3); a caller's own label gets the one of API calls. */
const ICONS: Record<string, LucideIcon> = {
  API: Globe,
  Canvas: MousePointer2,
  'Quick Drawer': MousePointer2,
  cron: CalendarClock,
  imap: Mail,
  websocket: Plug,
  file_upload: FileUp,
  telegram: Webhook,
  Discord: Webhook,
  Slack: Webhook,
  MCP: Plug,
  portal: MessageSquare,
  dashboard_chat: MessageSquare,
  'AI Agents': Workflow,
  SUB_WORKFLOW: Workflow,
};

export const KNOWN_SOURCES = Object.keys(ICONS);

/** Words for the label of §6.3 in the person's language; other labels are shown as they are. */
export function useSourceLabel(): (source: string | null) => string {
  const t = useRunsTexts('sources');
  const nav = useTranslations('nav');
  return (source) => {
    switch (source) {
      case null:
        return t('none');
      case 'Quick Drawer':
        return nav('quick_drawer');
      case 'Canvas':
        return t('canvas');
      case 'cron':
        return t('cron');
      case 'imap':
        return t('imap');
      case 'websocket':
        return t('websocket');
      case 'file_upload':
        return t('file_upload');
      case 'portal':
        return t('portal');
      case 'SUB_WORKFLOW':
        return t('sub_workflow');
      case 'telegram':
        return t('chatbot');
      case 'Discord':
        return t('interactions');
      case 'Slack':
        return t('workspace_chat');
      default:
        return source;
    }
  };
}

export function SourceLabel({ source }: { source: string | null }) {
  const label = useSourceLabel();
  const Icon = ICONS[source ?? ''] ?? Globe;
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5 text-soft">
      <Icon className="size-3.5 shrink-0 text-faint" aria-hidden />
      <span className="truncate">{label(source)}</span>
    </span>
  );
}
