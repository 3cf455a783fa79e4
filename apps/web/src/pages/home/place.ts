import { Workflow } from 'lucide-react';
import type { Place } from '../../lib/place.ts';

export const home: Place = {
  name: 'workflows',
  to: '/',
  group: 'build',
  icon: Workflow,
  key: 'w',
};
