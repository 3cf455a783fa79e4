import {
  Activity,
  Bot,
  Boxes,
  CalendarClock,
  ChartColumn,
  Files,
  FlaskConical,
  GraduationCap,
  Inbox,
  KeyRound,
  LayoutTemplate,
  type LucideIcon,
  Plug,
  Radio,
  ScrollText,
  Settings,
  SquareKanban,
  Table2,
  UsersRound,
  Variable,
  Waypoints,
  Workflow,
} from 'lucide-react';

export type DestinationName =
  | 'workflows'
  | 'templates'
  | 'files'
  | 'data_tables'
  | 'boards'
  | 'runs'
  | 'inbox'
  | 'assistant'
  | 'traces'
  | 'evals'
  | 'triggers'
  | 'schedules'
  | 'credentials'
  | 'variables'
  | 'vector_stores'
  | 'skills'
  | 'mcp'
  | 'teams'
  | 'audit'
  | 'analytics'
  | 'settings';

export interface Destination {
  name: DestinationName;
  to:
    | '/'
    | '/templates'
    | '/files'
    | '/data-tables'
    | '/boards'
    | '/runs'
    | '/inbox'
    | '/assistant'
    | '/traces'
    | '/evals'
    | '/triggers'
    | '/schedules'
    | '/credentials'
    | '/variables'
    | '/vector-stores'
    | '/skills'
    | '/mcp'
    | '/teams'
    | '/audit'
    | '/analytics'
    | '/settings';
  icon: LucideIcon;
  /** Second key after `g`. */
  key: string;
}

export interface DestinationGroup {
  name: 'build' | 'run' | 'connect' | 'admin';
  items: readonly Destination[];
}

/** The places of the app, grouped as the sidebar shows them. */
export const DESTINATIONS: readonly DestinationGroup[] = [
  {
    name: 'build',
    items: [
      { name: 'workflows', to: '/', icon: Workflow, key: 'w' },
      { name: 'templates', to: '/templates', icon: LayoutTemplate, key: 't' },
      { name: 'files', to: '/files', icon: Files, key: 'f' },
      { name: 'data_tables', to: '/data-tables', icon: Table2, key: 'b' },
      { name: 'boards', to: '/boards', icon: SquareKanban, key: 'k' },
    ],
  },
  {
    name: 'run',
    items: [
      { name: 'runs', to: '/runs', icon: Activity, key: 'r' },
      { name: 'inbox', to: '/inbox', icon: Inbox, key: 'i' },
      { name: 'analytics', to: '/analytics', icon: ChartColumn, key: 'n' },
      { name: 'assistant', to: '/assistant', icon: Bot, key: 'q' },
      { name: 'traces', to: '/traces', icon: Waypoints, key: 'l' },
      { name: 'evals', to: '/evals', icon: FlaskConical, key: 'j' },
      { name: 'triggers', to: '/triggers', icon: Radio, key: 'e' },
      { name: 'schedules', to: '/schedules', icon: CalendarClock, key: 'h' },
    ],
  },
  {
    name: 'connect',
    items: [
      { name: 'credentials', to: '/credentials', icon: KeyRound, key: 'c' },
      { name: 'variables', to: '/variables', icon: Variable, key: 'v' },
      { name: 'vector_stores', to: '/vector-stores', icon: Boxes, key: 'd' },
      { name: 'skills', to: '/skills', icon: GraduationCap, key: 'o' },
      { name: 'mcp', to: '/mcp', icon: Plug, key: 'p' },
    ],
  },
  {
    name: 'admin',
    items: [
      { name: 'teams', to: '/teams', icon: UsersRound, key: 'm' },
      { name: 'audit', to: '/audit', icon: ScrollText, key: 'a' },
      { name: 'settings', to: '/settings', icon: Settings, key: 's' },
    ],
  },
];
