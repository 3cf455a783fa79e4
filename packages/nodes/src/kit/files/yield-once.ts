/** Bytes that are there already, as the stream that file stores and uploads take. */
export async function* yieldOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
