import { Radio } from 'lucide-react';
import type { Place } from '../../shell/places/place.ts';

export const triggers: Place = {
  group: 'run',
  icon: Radio,
  key: 'e',
};
