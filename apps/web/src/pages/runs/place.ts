import { Activity } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const runs: Place = {
  group: 'run',
  icon: Activity,
  key: 'r',
};
