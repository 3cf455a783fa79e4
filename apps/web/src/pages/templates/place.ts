import { LayoutTemplate } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const templates: Place = {
  group: 'build',
  icon: LayoutTemplate,
  key: 't',
};
