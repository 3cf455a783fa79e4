import { Boxes } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const vectorStores: Place = {
  group: 'connect',
  icon: Boxes,
  key: 'd',
};
