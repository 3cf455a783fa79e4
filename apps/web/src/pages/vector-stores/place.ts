import { Boxes } from 'lucide-react';
import type { Place } from '../../shell/places/place.ts';

export const vectorStores: Place = {
  group: 'connect',
  icon: Boxes,
  key: 'd',
};
