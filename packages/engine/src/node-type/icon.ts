type Element = 'path' | 'circle' | 'ellipse' | 'rect' | 'line' | 'polyline' | 'polygon';

/** A drawing on a grid of 24 by 24, stroked in the current colour: SVG elements with their attributes. */
export type IconShape = readonly (readonly [
  element: Element,
  attributes: Readonly<Record<string, string>>,
])[];
