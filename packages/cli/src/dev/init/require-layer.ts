import { existsSync } from 'node:fs';
import { Failure } from '@switchyard/service/failure';
import type { InstancePaths } from '../instance/home.ts';
import { initInstance } from './init.ts';
import { complete, settingsOfNetworks } from './settings.ts';
import type { Layer } from './templates.ts';

/**
 * Makes sure that an instance has this data-availability layer: a missing one is made with it.
 *
 * @returns the files that were written, relative to the instance; none if it has this layer.
 * @throws {Failure} if it has another one.
 */
export function requireLayer(paths: InstancePaths, layer: Layer, portOffset: number | undefined): readonly string[] {
  if (!existsSync(paths.networks)) return initInstance(paths, { dataAvailability: layer, portOffset }).written;
  const has = complete(settingsOfNetworks(paths)).layer;
  if (has === layer) return [];
  throw new Failure(
    `instance ${paths.name} has data availability ${has}, asked for is ${layer}: take another instance: \`switchyard dev init --data-availability ${layer} --instance NAME\``,
  );
}
