import { Waypoints } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const traces: Place = {
  group: 'run',
  icon: Waypoints,
  key: 'l',
};
