import { FIELDS } from '../config/known-settings.ts';
import { rollupBuiltin, withRole } from '../config/roles.ts';
import { settingOf } from '../config/settings.ts';
import type { Instance } from '../instance/instance.ts';
import { urlOfListener } from './listener-url.ts';

/** Where the messenger of a network answers, as the files of the instance have it; `undefined` when there is none. */
export function messengerUrlOf(instance: Instance): string | undefined {
  const entry = withRole(instance.network, 'rollup').find((each) => rollupBuiltin(each) === 'messenger');
  if (entry === undefined) return undefined;
  return urlOfListener(
    settingOf(instance, entry, FIELDS.messenger.restAddr) ?? FIELDS.messenger.restAddr.fallback ?? '',
  );
}
