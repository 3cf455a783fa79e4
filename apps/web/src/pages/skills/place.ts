import { GraduationCap } from 'lucide-react';
import type { Place } from '../../shell/places/place.ts';

export const skills: Place = {
  group: 'connect',
  icon: GraduationCap,
  key: 'o',
};
