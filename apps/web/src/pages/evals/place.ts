import { FlaskConical } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const evals: Place = {
  group: 'run',
  icon: FlaskConical,
  key: 'j',
};
