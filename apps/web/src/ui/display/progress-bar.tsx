import { clsx } from 'clsx';

interface ProgressBarProps {
  label: string;
  /** 0 to 1. */
  share: number;
  className?: string;
}

export function ProgressBar({ label, share, className }: ProgressBarProps) {
  return (
    <progress
      aria-label={label}
      max={1}
      value={share}
      className={clsx(
        'h-1.5 appearance-none overflow-hidden rounded-full bg-active [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-active [&::-webkit-progress-value]:bg-accent',
        className,
      )}
    />
  );
}
