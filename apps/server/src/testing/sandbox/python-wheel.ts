import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A package of one module, with its version as `VERSION` and its function `main` as a command. */
export async function pythonWheel(module: string, version: string, source: string): Promise<Buffer> {
  const name = module.replaceAll('_', '-');
  const zip = new ZipFile();
  const info = `${module}-${version}.dist-info`;
  const add = (path: string, text: string) => zip.addBuffer(Buffer.from(text), path);
  add(`${module}.py`, `VERSION = "${version}"\n${source}`);
  add(`${info}/METADATA`, `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`);
  add(`${info}/WHEEL`, 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n');
  add(`${info}/entry_points.txt`, `[console_scripts]\n${name} = ${module}:main\n`);
  add(`${info}/RECORD`, `${module}.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`);
  zip.end();
  return buffer(zip.outputStream);
}
