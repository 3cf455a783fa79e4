import { Waypoints } from 'lucide-react';
import type { Place } from '../../shell/places/place.ts';

export const traces: Place = {
  group: 'run',
  icon: Waypoints,
  key: 'l',
};
