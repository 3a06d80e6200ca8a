import { type AccessSettings, operatorAccess } from '../access/access.ts';
import type { Links } from '../links.ts';
import type { Field } from '../settings/config.ts';
import type { Listen } from '../settings/parsers.ts';
import type { StandardFields } from '../settings/standard-fields.ts';
import type { Logger } from '../telemetry/log.ts';

/** Options of a server at an address that a process has among its settings, as are the rules for who may call. */
export function ownListener<K extends string>(
  fields: Pick<StandardFields, 'allowedHosts'> & Readonly<Record<K, Field<Listen>>>,
  config: AccessSettings & Readonly<Record<K, Listen>>,
  key: K,
  { links, log }: { readonly links?: Links | undefined; readonly log: Logger },
) {
  const prefix = fields.allowedHosts.names[0].slice(0, -'ALLOWED_HOSTS'.length);
  return { listen: config[key], name: fields[key].names[0], access: operatorAccess(config, prefix), links, log };
}
