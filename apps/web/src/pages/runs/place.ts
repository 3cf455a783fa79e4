import { Activity } from 'lucide-react';
import type { Place } from '../../shell/places/place.ts';

export const runs: Place = {
  group: 'run',
  icon: Activity,
  key: 'r',
};
