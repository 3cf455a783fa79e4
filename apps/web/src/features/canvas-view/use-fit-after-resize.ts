import { type FitViewOptions, useReactFlow, useStore } from '@xyflow/react';
import { useEffect } from 'react';

/** The window was resized or a phone was turned: the first fit is that of the picture itself. */
export function useFitAfterResize(fit: FitViewOptions): void {
  const { fitView } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  useEffect(() => {
    if (width > 0 && height > 0) void fitView(fit);
  }, [fitView, fit, width, height]);
}
