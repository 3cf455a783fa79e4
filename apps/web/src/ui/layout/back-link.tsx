import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { buttonStyle } from '../actions/button.tsx';

type BackLinkProps = { label: string } & (
  | { to: '/boards' | '/data-tables' | '/evals' }
  | { to: '/evals/$id'; params: { id: string } }
);

/** Before the title of a thing: leads back to the list of its kind. */
export function BackLink({ label, ...place }: BackLinkProps) {
  return (
    <Link {...place} aria-label={label} className={buttonStyle({ tone: 'quiet', size: 'small' })}>
      <ArrowLeft aria-hidden />
    </Link>
  );
}
