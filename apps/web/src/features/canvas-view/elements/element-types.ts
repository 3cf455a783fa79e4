import { EdgeView } from './edge-view.tsx';
import { NodeView } from './node-view.tsx';
import { NoteView } from './note-view.tsx';

export const NODE_TYPES = { step: NodeView, note: NoteView };
export const EDGE_TYPES = { 'step-edge': EdgeView };
/** Above this many nodes only those in view are drawn. */
export const CULL_ABOVE = 300;
