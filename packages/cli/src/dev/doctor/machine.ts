import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, type StatsFs, statfsSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, freemem, platform, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { wallClock } from '@switchyard/service';
import { systemReason } from '../files/files.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/*
 * Requirements of a network on its machine. Each check is a function of plain values: tests need no other machine.
 */

const MB = 1_048_576;

/** All findings about the machine; `directory` is that of the network's files, present or future. */
export function machineFindings(directory: string): Finding[] {
  const place = existing(directory);
  return [
    checkNode(process.versions.node, requiredNode()),
    checkPlatform(platform(), arch(), alpine()),
    checkMemory(totalmem(), platform() === 'linux' ? freemem() : undefined),
    checkFiles(openFileLimit()),
    ...checkPlace(place),
  ];
}

export function checkNode(version: string, required: string): Finding {
  const parts = (text: string) => text.split('.').map(Number);
  const [[major = 0, minor = 0], [wantMajor = 0, wantMinor = 0]] = [parts(version), parts(required)];
  if (major > wantMajor || (major === wantMajor && minor >= wantMinor)) return ok('node', version);
  return fail('node', `${version} is too old`, `install ${required} or newer`);
}

/** Checks for a platform for which the libraries with native parts ship binaries. */
export function checkPlatform(system: string, processor: string, musl: boolean): Finding {
  const name = `${system} ${processor}${musl ? ' with musl' : ''}`;
  const known = ['linux', 'darwin'].includes(system) && ['x64', 'arm64'].includes(processor);
  if (known && !musl) return ok('system', name);
  return warn('system', `${name}: there are no tested binaries for it`, 'use Linux with glibc or macOS, x64 or arm64');
}

/** @param free Unknown if the system counts its caches as used. */
export function checkMemory(total: number, free: number | undefined): Finding {
  const text = `${Math.floor((free ?? total) / MB)} MB ${free === undefined ? 'in all' : 'available'}`;
  const have = free ?? total;
  if (have >= 600 * MB) return ok('memory', text);
  const advice = 'a network takes about 400 MB: end other programs';
  return have < 250 * MB ? fail('memory', text, advice) : warn('memory', text, advice);
}

/** @param limit `undefined`: unknown. */
export function checkFiles(limit: number | undefined): Finding {
  if (limit === undefined) return warn('open files', 'the limit is not known', 'look with `ulimit -n`: 1024 is enough');
  const text = limit === Number.POSITIVE_INFINITY ? 'no limit' : `at most ${limit}`;
  if (limit >= 1_024) return ok('open files', text);
  const advice = 'raise it with `ulimit -n 4096` before `switchyard dev run`';
  return limit < 128 ? fail('open files', text, advice) : warn('open files', text, advice);
}

export function checkSpace(place: string, freeBytes: number, freeFiles: number): Finding {
  const text = `${Math.floor(freeBytes / MB)} MB free in ${place}`;
  const advice =
    'make room; `switchyard dev purge logs`, `dev snapshot remove` and `dev reset state` are places to start';
  if (freeFiles === 0) return fail('disk', `no more files can be made in ${place}`, advice);
  if (freeBytes < 200 * MB) return fail('disk', text, advice);
  return freeBytes < 2_000 * MB ? warn('disk', text, advice) : ok('disk', text);
}

/** @param aheadMs How far the file system's clock is ahead of ours. */
export function checkFileTime(place: string, aheadMs: number): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  if (seconds <= 2) return ok('file time', 'agrees with the clock');
  const text = `files in ${place} are dated ${seconds} s ${aheadMs > 0 ? 'after' : 'before'} the clock`;
  return warn('file time', text, 'set both clocks by the network, or keep the home on a local disk');
}

/** The finding about the space of a file system, from the system's report. */
export function spaceFinding(place: string, { bavail, bsize, files, ffree }: StatsFs): Finding {
  // Some file systems have no table of files that could be full.
  return checkSpace(place, bavail * bsize, files === 0 ? 1 : ffree);
}

function checkPlace(place: string): Finding[] {
  const space = spaceFinding(place, statfsSync(place));
  const probe = join(place, `.doctor-${process.pid}`);
  try {
    writeFileSync(probe, '');
    const ahead = statSync(probe).mtimeMs - wallClock.unixMs();
    return [space, checkFileTime(place, ahead)];
  } catch (error) {
    const advice = 'give yourself the right to write there, or choose another directory with --home';
    return [space, fail('home', `${place} cannot be written: ${systemReason(error)}`, advice)];
  } finally {
    rmSync(probe, { force: true });
  }
}

/** The directory itself, or the nearest one above that exists. */
function existing(directory: string): string {
  return existsSync(directory) || dirname(directory) === directory ? directory : existing(dirname(directory));
}

function openFileLimit(): number | undefined {
  const { stdout } = spawnSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8' });
  const text = (stdout ?? '').trim();
  if (text === 'unlimited') return Number.POSITIVE_INFINITY;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function requiredNode(): string {
  // Our own manifest.
  const { engines } = createRequire(import.meta.url)('../../../package.json') as { engines: { node: string } };
  return engines.node.replace(/^\D*/, '');
}

const alpine = () => existsSync('/etc/alpine-release');
