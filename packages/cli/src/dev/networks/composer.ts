import { FIELDS } from '../config/known-settings.ts';
import { withRole } from '../config/roles.ts';
import { findSetting } from '../config/settings.ts';
import type { Instance } from '../instance/instance.ts';
import { urlOfListener } from './listener-url.ts';

/** Address of the composer of a network, from the files of the instance have it; `undefined` when there is none. */
export function toComposer(instance: Instance) {
  const [entry] = withRole(instance.network, 'composer');
  if (entry === undefined) return undefined;
  const { grpcAddr, grpcSecretFile } = FIELDS.composer;
  const address = findSetting(instance, entry, grpcAddr) ?? grpcAddr.fallback ?? '';
  return { url: urlOfListener(address), secretFile: findSetting(instance, entry, grpcSecretFile) || undefined };
}
