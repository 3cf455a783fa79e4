import { Radio } from 'lucide-react';
import type { Place } from '../../shell/place.ts';

export const triggers: Place = {
  group: 'run',
  icon: Radio,
  key: 'e',
};
