/** For text of people: UTF-8, or what older programs write (Windows-1252) when its beginning is no UTF-8. */
export function decoderFor(beginning: Uint8Array): InstanceType<typeof TextDecoder> {
  try {
    // As a stream, so that a character may be cut off at the end.
    new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream: true });
    return new TextDecoder('utf-8');
  } catch {
    return new TextDecoder('windows-1252');
  }
}
