import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isStoreKind, type StoreKindName } from './kinds.ts';

/**
 * `store.json` next to a data file: the kind of the file, so that a damaged or missing one is known as such, and whether the
 * process that had it open last has closed it.
 */
export interface StoreLabel {
  readonly kind: StoreKindName;
  readonly format: string;
  readonly closed: boolean;
}

const labelPath = (directory: string): string => join(directory, 'store.json');

/** @returns undefined if there is none, or it cannot be read: everything is checked then. */
export function readLabel(directory: string): StoreLabel | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(labelPath(directory), 'utf8'));
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, format, closed } = value as Readonly<Record<string, unknown>>;
  if (!isStoreKind(kind) || typeof format !== 'string') return undefined;
  return { kind, format, closed: closed === true };
}

export function writeLabel(directory: string, label: StoreLabel): void {
  const path = labelPath(directory);
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(label)}\n`, { mode: 0o600, flush: true });
  renameSync(temporary, path);
}
