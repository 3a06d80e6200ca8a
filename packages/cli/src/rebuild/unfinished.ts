/** A rebuild that was interrupted continues in its directory, in which a file states its rollup. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import type { Anchor } from './anchor.ts';

const fileIn = (directory: string): string => join(directory, 'unfinished-rebuild.json');

export interface Subject {
  readonly kind: string;
  readonly into: string;
  readonly anchor: Anchor;
}

/** Takes a directory for a rebuild. @throws {Failure} if it holds something else. */
export function begin({ kind, into, anchor }: Subject): void {
  const subject = `${JSON.stringify({ kind, anchor: `${anchor.height}:${anchor.hash}` })}\n`;
  if (isUnfinished(into)) {
    const before = readFileSync(fileIn(into), 'utf8');
    if (before === subject) return;
    throw new Failure(
      `${into}: holds an unfinished rebuild of ${before.trim()}, expected ${subject.trim()}: give another directory, or delete this one`,
    );
  }
  if (existsSync(into) && readdirSync(into).length > 0)
    throw new Failure(`${into}: is not empty: give another directory, or move its contents away`);
  mkdirSync(into, { recursive: true, mode: 0o700 });
  writeFileSync(fileIn(into), subject, { mode: 0o600 });
}

export const isUnfinished = (directory: string): boolean => existsSync(fileIn(directory));

export const finish = (directory: string): void => rmSync(fileIn(directory));
