import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';

/** A file of a skill as the node stores it; what else it has stays. */
export interface SkillRowFile extends JsonObject {
  path: string;
  /** Text, or base64 where `encoding` says so. */
  content: string;
}

/** A workflow is sent and stored with its files, so they stay small. */
export const MAX_UPLOAD_BYTES = 2_000_000;

const SCRIPT = `import json
import sys

# The text that the agent hands over; SKILL.md says what it looks like.
request = json.loads(sys.stdin.read() or "{}")

# Files for the user belong into the folder os.environ["_OUTPUT_DIR"].
print(json.dumps({"received": request}))
`;

export function skillRowFiles(value: Json | undefined): SkillRowFile[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(isJsonObject)
    .map((file) => ({ ...file, path: readText(file['path']), content: readText(file['content']) }));
}

export const isBinary = ({ encoding }: SkillRowFile): boolean => encoding === 'base64';

export const skillFile = (path: string, content: string): SkillRowFile => ({
  path,
  content,
  encoding: 'text',
  mimeType: 'text/plain',
});

export const newScript = (): SkillRowFile => skillFile('main.py', SCRIPT);

/** Bytes of a base64 text. */
export const baseSize = (content: string): number => Math.floor((content.replace(/=+$/, '').length * 3) / 4);

/** A file that was chosen, from its `data:` URL: as text where it is one, so that it can be edited. */
export function uploadedFile(name: string, data_url: string): SkillRowFile {
  const comma = data_url.indexOf(',');
  const content = data_url.slice(comma + 1);
  const mimeType = data_url.slice('data:'.length, comma).split(';')[0] ?? '';
  const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes('\0')) return { ...skillFile(name, text), mimeType: mimeType || 'text/plain' };
  } catch {
    // Not UTF-8, so it stays as bytes.
  }
  return { path: name, content, encoding: 'base64', mimeType: mimeType || 'application/octet-stream' };
}
