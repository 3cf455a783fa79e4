import { TriangleAlert } from 'lucide-react';
import { useSandbox } from '../../../data/sandbox.ts';

/** Says what keeps code from being run here, before it is run. */
export function SandboxNote() {
  const { data } = useSandbox();
  if (data?.status !== 'unavailable' || data.problem === null) return null;
  return (
    <p role="status" className="flex gap-2 rounded-m bg-warning-tint px-2.5 py-2 text-sm text-warning">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <span className="min-w-0 break-words">{data.problem}</span>
    </p>
  );
}
