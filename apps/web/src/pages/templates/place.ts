import { LayoutTemplate } from 'lucide-react';
import type { Place } from '../../shell/places/place.ts';

export const templates: Place = {
  group: 'build',
  icon: LayoutTemplate,
  key: 't',
};
