import type { QueryClient } from '@tanstack/react-query';
import { create } from 'zustand';
import { renewFiles } from '../../data/files.ts';
import { upload } from '../../data/upload.ts';

export interface Upload {
  id: number;
  name: string;
  size: number;
  share: number;
  state: 'waiting' | 'sending' | 'done' | 'failed';
  problem?: string;
  stop: () => void;
}

interface UploadStore {
  uploads: readonly Upload[];
}

/** Uploads continue while the user visits other pages. */
export const useUploads = create<UploadStore>()(() => ({ uploads: [] }));

const AT_ONCE = 2;
let lastId = 0;
let active = 0;
const waiting: (() => Promise<void>)[] = [];

function change(id: number, part: Partial<Upload>): void {
  useUploads.setState(({ uploads }) => ({
    uploads: uploads.map((item) => (item.id === id ? { ...item, ...part } : item)),
  }));
}

function next(): void {
  while (active < AT_ONCE) {
    const start = waiting.shift();
    if (!start) return;
    active += 1;
    void start().finally(() => {
      active -= 1;
      next();
    });
  }
}

export function startUploads(client: QueryClient, files: readonly File[]): void {
  for (const file of files) {
    lastId += 1;
    const id = lastId;
    const control = new AbortController();
    const entry: Upload = {
      id,
      name: file.name,
      size: file.size,
      share: 0,
      state: 'waiting',
      stop: () => control.abort(),
    };
    useUploads.setState(({ uploads }) => ({ uploads: [...uploads, entry] }));
    waiting.push(async () => {
      if (control.signal.aborted) return;
      change(id, { state: 'sending' });
      try {
        await upload({ file, signal: control.signal, onProgress: (share) => change(id, { share }) });
        change(id, { state: 'done', share: 1 });
        await renewFiles(client);
      } catch (error) {
        change(id, { state: 'failed', problem: error instanceof Error ? error.message : String(error) });
      }
    });
  }
  next();
}

export function forgetUpload(id: number): void {
  const upload = useUploads.getState().uploads.find((item) => item.id === id);
  upload?.stop();
  useUploads.setState(({ uploads }) => ({ uploads: uploads.filter((item) => item.id !== id) }));
}

export const forgetFinished = (): void =>
  useUploads.setState(({ uploads }) => ({
    uploads: uploads.filter((item) => item.state === 'sending' || item.state === 'waiting'),
  }));
