/** Below the first, texts at their own size cannot be read; below the second, none can. */
const FAR_ZOOM = 0.6;
const REMOTE_ZOOM = 0.22;

/** Class of a canvas that is looked at from afar, for a selector of its store. */
export const distance = ({ transform: [, , zoom] }: { transform: [number, number, number] }) =>
  zoom < REMOTE_ZOOM ? 'canvas-far canvas-remote' : zoom < FAR_ZOOM ? 'canvas-far' : undefined;
