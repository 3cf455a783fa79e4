import { Variable } from 'lucide-react';
import type { Place } from '../../shell/places/place.ts';

export const variables: Place = {
  group: 'connect',
  icon: Variable,
  key: 'v',
};
