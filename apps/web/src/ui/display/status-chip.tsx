import { clsx } from 'clsx';
import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CirclePause,
  Gauge,
  LoaderCircle,
  type LucideIcon,
  SkipForward,
  Zap,
} from 'lucide-react';
import { useFormatter, useTranslations } from 'use-intl';

export const STATUSES = [
  'success',
  'error',
  'running',
  'queued',
  'pending',
  'cancelled',
  'cached',
  'rate_limited',
  'skipped',
] as const;
/** Every state a run or a node can show. */
export type Status = (typeof STATUSES)[number];

export type Tone = 'success' | 'danger' | 'warning' | 'info' | 'neutral';

/** Icon and tone of each state. */
export type Looks<State extends string> = Readonly<Record<State, Pick<ChipProps, 'icon' | 'tone'>>>;

const LOOKS: Looks<Status> = {
  success: { icon: CircleCheck, tone: 'success' },
  error: { icon: CircleAlert, tone: 'danger' },
  running: { icon: LoaderCircle, tone: 'info' },
  queued: { icon: CircleDashed, tone: 'neutral' },
  pending: { icon: CirclePause, tone: 'warning' },
  cancelled: { icon: Ban, tone: 'neutral' },
  cached: { icon: Zap, tone: 'neutral' },
  rate_limited: { icon: Gauge, tone: 'warning' },
  skipped: { icon: SkipForward, tone: 'neutral' },
};

const TONE_TEXT: Record<Tone, string> = {
  success: 'text-success',
  danger: 'text-danger',
  warning: 'text-warning',
  info: 'text-info',
  neutral: 'text-soft',
};

const TONE_CHIP: Record<Tone, string> = {
  success: 'border-success-line bg-success-tint text-success',
  danger: 'border-danger-line bg-danger-tint text-danger',
  warning: 'border-warning-line bg-warning-tint text-warning',
  info: 'border-info-line bg-info-tint text-info',
  neutral: 'border-line-strong bg-sunken text-soft',
};

function isStatus(value: string): value is Status {
  return (STATUSES as readonly string[]).includes(value);
}

interface ChipProps {
  icon: LucideIcon;
  tone: Tone;
  word: string;
  /** `line`: icon and word without a frame, for dense tables. `icon`: the word for screen readers only. */
  look?: 'chip' | 'line' | 'icon' | undefined;
  className?: string | undefined;
}

/** A state by icon and word; colour only repeats it. */
export function Chip({ icon: Icon, tone, word, look = 'chip', className }: ChipProps) {
  return (
    <span
      className={clsx(
        'inline-flex shrink-0 items-center gap-1.5 text-sm whitespace-nowrap',
        look === 'chip'
          ? `h-[22px] rounded-full border pr-2 pl-1.5 font-medium ${TONE_CHIP[tone]}`
          : TONE_TEXT[tone],
        className,
      )}
    >
      <Icon className={clsx('size-3.5', Icon === LoaderCircle && 'animate-spin')} aria-hidden />
      <span className={look === 'icon' ? 'sr-only' : undefined}>{word}</span>
    </span>
  );
}

interface StatusChipProps extends Pick<ChipProps, 'look' | 'className'> {
  /** A status word of the service; an unknown one is shown as it is. */
  status: string;
}

/** The state of a run or a node. */
export function StatusChip({ status, ...props }: StatusChipProps) {
  const t = useTranslations('status');
  return isStatus(status) ? (
    <Chip {...LOOKS[status]} word={t(status)} {...props} />
  ) : (
    <Chip icon={CircleDot} tone="neutral" word={status} {...props} />
  );
}

interface BadgeProps {
  tone?: Tone;
  children: React.ReactNode;
  className?: string;
}

/** A short fact about something; not a state of a run. */
export function Badge({ tone = 'neutral', children, className }: BadgeProps) {
  return (
    <span
      className={clsx(
        'inline-flex h-5 shrink-0 items-center gap-1 rounded-s border px-1.5 text-xs font-medium whitespace-nowrap [&>svg]:size-3',
        TONE_CHIP[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}

export function Count({ value }: { value: number }) {
  const format = useFormatter();
  return (
    <span className="tabular rounded-full bg-sunken px-2 text-sm text-faint">{format.number(value)}</span>
  );
}
