import { existsSync, rmSync } from 'node:fs';
import { relayerAccount } from '@switchyard/network/accounts';
import { Failure } from '@switchyard/service/failure';
import { readText } from '../files/files.ts';
import { type InstancePaths, instanceArguments } from '../instance/home.ts';
import { getContents } from '../state/remove.ts';
import { initInstance } from './init.ts';
import { baseFile } from './network-text.ts';
import { localNetwork, networksFile } from './networks-file.ts';
import { complete, settingsOfNetworks } from './settings.ts';
import { type Layer, templateName } from './templates.ts';

/**
 * Makes sure that an instance has this data-availability layer: a missing one is made with it, and one without blocks, whose
 * files are unchanged since `dev init`, gets it in place of its own.
 *
 * @returns the files that were written, relative to the instance; none if it has this layer.
 * @throws {Failure} if it has another one and blocks or edited files; then nothing is changed.
 */
export function requireLayer(paths: InstancePaths, layer: Layer, portOffset: number | undefined): readonly string[] {
  if (!existsSync(paths.networks)) return initInstance(paths, { dataAvailability: layer, portOffset }).written;
  const settings = complete(settingsOfNetworks(paths));
  if (settings.layer === layer) return [];
  const another = `take another instance: \`switchyard dev init --data-availability ${layer} --instance NAME\``;
  const has = `instance ${paths.name} has data availability ${settings.layer}, asked for is ${layer}`;
  if (getContents(paths.data).length > 0)
    throw new Failure(
      `${has}, and it has blocks: \`switchyard dev reset state${instanceArguments(paths)}\` first, or ${another}`,
    );
  const edited = [
    [paths.networks, networksFile(settings)] as const,
    [paths.base, baseFile(localNetwork(settings))] as const,
  ].find(([path, text]) => !existsSync(path) || readText(path) !== text);
  if (edited !== undefined)
    throw new Failure(`${has}, and ${edited[0]} is not as \`switchyard dev init\` wrote it: ${another}`);
  // A key of the user's stays; the published one is for the local layer alone.
  const isOurs = (key: string) => settings.layer === 'celestia' || key === relayerAccount.key;
  if (existsSync(paths.relayerKey) && isOurs(readText(paths.relayerKey).trim())) rmSync(paths.relayerKey);
  for (const file of [paths.networks, paths.base]) rmSync(file);
  const { rollups, offset, ...names } = settings;
  return initInstance(paths, { ...names, portOffset: offset, template: templateName(rollups), dataAvailability: layer })
    .written;
}
