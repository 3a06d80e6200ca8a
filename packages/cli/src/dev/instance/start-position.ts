import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, tried } from '../../failure.ts';
import { lowerKeys, readToml } from '../files/toml.ts';
import type { InstancePaths } from './home.ts';

/** Whether the user's own programs start before or after the services that come with Switchyard. */
export type StartPosition = 'before' | 'after';

/** Part of an instance that decides about it. */
interface Positioned {
  readonly paths: Pick<InstancePaths, 'home' | 'networks'>;
  readonly network: { readonly name: string; readonly startPosition?: StartPosition };
}

export const START_POSITION_KEY = 'generic_start_position';

/** Position that the network states, else the value that earlier versions took from the terminal UI's settings. */
export function startPositionOf({ network, paths }: Positioned): StartPosition {
  return network.startPosition ?? earlierPosition(paths.home) ?? 'after';
}

/** A line for the user while the value still comes from the file of the terminal UI. */
export function startPositionNotice({ network, paths }: Positioned): string | undefined {
  if (network.startPosition !== undefined || earlierPosition(paths.home) !== 'before') return undefined;
  return `${START_POSITION_KEY} = "before" in ${earlierFile(paths.home)} is deprecated for the start order: set it in [networks.${network.name}] of ${paths.networks}`;
}

/** @returns `undefined` for any other text. */
export function parseStartPosition(text: string): StartPosition | undefined {
  return text === 'before' || text === 'after' ? text : undefined;
}

const earlierFile = (home: string) => join(home, 'tui-config.toml');

function earlierPosition(home: string): StartPosition | undefined {
  const path = earlierFile(home);
  if (!existsSync(path)) return undefined;
  // The terminal UI reports what is wrong with its file.
  return tried(Failure, undefined, () =>
    parseStartPosition(String(lowerKeys(readToml(path), path)[START_POSITION_KEY])),
  );
}
