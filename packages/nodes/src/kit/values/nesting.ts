/** Work that follows the nesting of a text by recursion; `tooDeep` is its failure when the stack does not suffice. */
export async function withinStack<T>(work: () => T | Promise<T>, tooDeep: () => Error): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RangeError && /call stack/i.test(error.message) ? tooDeep() : error;
  }
}
