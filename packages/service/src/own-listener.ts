import { type AccessSettings, operatorAccess } from './access/access.ts';
import type { Field } from './config.ts';
import type { Links } from './links.ts';
import type { Logger } from './log.ts';
import type { Listen } from './parsers.ts';
import type { StandardFields } from './standard-fields.ts';

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
