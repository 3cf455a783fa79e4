import { GraduationCap } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const skills: Place = {
  group: 'connect',
  icon: GraduationCap,
  key: 'o',
};
