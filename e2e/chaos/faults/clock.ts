import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wallClock } from '@switchyard/service';

/** A wall clock for the services that can be set; the monotonic one stays true, as it does on a real machine. */
export interface WallClock {
  readonly env: Readonly<Record<string, string>>;
  /** Sets it to this many seconds off the true time. */
  step(seconds: number): void;
}

const PLACES = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib64/faketime/libfaketimeMT.so.1',
  '/usr/lib/faketime/libfaketimeMT.so.1',
  '/usr/local/lib/faketime/libfaketimeMT.so.1',
];

/** @returns a reason if this machine has no libfaketime that Node runs with. */
export function createWallClock(directory: string): WallClock | string {
  const library = PLACES.find((place) => existsSync(place));
  if (library === undefined) return 'libfaketime is not installed';
  const file = join(directory, 'clock');
  const step = (seconds: number): void => {
    // Replaced whole, so that no process reads half of it.
    writeFileSync(`${file}.new`, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
    renameSync(`${file}.new`, file);
  };
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_NO_CACHE: '1',
  };
  step(-7_200);
  const tried = spawnSync(process.execPath, ['-p', 'Date.now()'], { env, encoding: 'utf8', timeout: 10_000 });
  const off = wallClock.unixMs() - Number(tried.stdout) - 7_200_000;
  step(0);
  if (tried.status !== 0 || !(Math.abs(off) < 10_000)) return 'libfaketime has no effect on this Node';
  return { env, step };
}
