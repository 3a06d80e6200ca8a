import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type InstancePaths, instancePaths } from './home.ts';
import { type InitOptions, initInstance } from './init.ts';

/** Paths of an instance in an empty home of its own. */
export function scratchPaths(name = 'test'): InstancePaths {
  return instancePaths(mkdtempSync(join(tmpdir(), 'switchyard-cli-')), name);
}

/** The same, after `dev init`. */
export function scratchInstance(options: InitOptions = {}): InstancePaths {
  const paths = scratchPaths();
  initInstance(paths, options);
  return paths;
}
