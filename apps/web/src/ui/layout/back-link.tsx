import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { buttonStyle } from '../actions/button.tsx';

/** Before the title of a thing: leads back to the list of its kind. */
export function BackLink({ to, label }: { to: '/boards' | '/data-tables'; label: string }) {
  return (
    <Link to={to} aria-label={label} className={buttonStyle({ tone: 'quiet', size: 'small' })}>
      <ArrowLeft aria-hidden />
    </Link>
  );
}
