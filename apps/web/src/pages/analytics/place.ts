import { ChartColumn } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const analytics: Place = {
  group: 'run',
  icon: ChartColumn,
  key: 'n',
};
