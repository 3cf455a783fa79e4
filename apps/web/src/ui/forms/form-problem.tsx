import { CircleAlert } from 'lucide-react';

/** The problem of a form as a whole. */
export function FormProblem({ text }: { text: string | undefined }) {
  return (
    <div role="alert" className="empty:hidden">
      {text ? (
        <p className="flex items-start gap-2 rounded-m border border-danger-line bg-danger-tint px-3 py-2 text-base text-danger">
          <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          {text}
        </p>
      ) : null}
    </div>
  );
}
