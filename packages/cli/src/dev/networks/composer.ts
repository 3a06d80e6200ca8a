import { FIELDS } from '../config/known-settings.ts';
import { withRole } from '../config/roles.ts';
import { settingOf } from '../config/settings.ts';
import type { Instance } from '../instance/instance.ts';
import { urlOfListener } from './listener-url.ts';

/** Address of the composer of a network, from the files of the instance have it; `undefined` when there is none. */
export function composerOf(instance: Instance) {
  const [entry] = withRole(instance.network, 'composer');
  if (entry === undefined) return undefined;
  const { grpcAddr, grpcSecretFile } = FIELDS.composer;
  const address = settingOf(instance, entry, grpcAddr) ?? grpcAddr.fallback ?? '';
  return { url: urlOfListener(address), secretFile: settingOf(instance, entry, grpcSecretFile) || undefined };
}
