import { Variable } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const variables: Place = {
  group: 'connect',
  icon: Variable,
  key: 'v',
};
