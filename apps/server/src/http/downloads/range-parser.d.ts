declare module 'range-parser' {
  interface Range {
    readonly start: number;
    readonly end: number;
  }

  /** The parts within `size`; -1 when none is, -2 when the header cannot be read. */
  export default function parseRange(
    size: number,
    header: string,
  ): (readonly Range[] & { type: string }) | -1 | -2;
}
