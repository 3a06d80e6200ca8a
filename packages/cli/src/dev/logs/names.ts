import { join } from 'node:path';
import type { InstancePaths } from '../instance/home.ts';

/** The tool's own log in addition to those of the services; no service may have this name. */
export const TOOL = 'switchyard';

export function logPath(paths: InstancePaths, service: string): string {
  // A service's name is free text; a file's is not.
  return join(paths.logs, `${service.replace(/[^A-Za-z0-9._-]/g, '_')}.log`);
}
