import { Table2 } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const dataTables: Place = {
  group: 'build',
  icon: Table2,
  key: 'b',
};
