import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FIELDS, type SettingField } from '../config/known-settings.ts';
import type { PlannedService } from '../services/planned.ts';
import type { Link, Overview } from '../status/network.ts';
import { listenerUrls } from '../status/urls.ts';
import { KEYS_NOTICE, publicAccounts } from './accounts.ts';

/** All of a running network, for the line `ready {json}` and for `/network.json` of the start page. */
export function describeNetwork(overview: Overview, services: readonly PlannedService[]) {
  const links = getLinks(services);
  const messenger = links.some(({ kind }) => kind === 'chat');
  return {
    ...overview,
    links,
    notice: KEYS_NOTICE,
    accounts: publicAccounts({ messenger, evm: overview.evm !== undefined }),
  };
}

interface Rule {
  readonly kind: Link['kind'];
  /** Setting of the listener. */
  readonly setting: SettingField;
  readonly path: string;
  /** A page that the service does without if it was not built, and its name among the pages. */
  readonly page?: string;
}

/** Pages and interfaces that our services serve to people. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  messenger: [
    { kind: 'chat', setting: FIELDS.messenger.restAddr, path: '/' },
    { kind: 'api', setting: FIELDS.messenger.restAddr, path: '/docs' },
  ],
  faucet: [{ kind: 'faucet', setting: FIELDS.faucet.listenAddr, path: '/' }],
  explorer: [{ kind: 'explorer', setting: FIELDS.explorer.listenAddr, path: '/', page: 'explorer' }],
};

const PAGES = join(import.meta.dirname, '..', '..', '..', '..', 'web', 'dist');
const isBuilt = (page: string) => existsSync(join(PAGES, page, 'index.html'));

/** Only of running services. */
export function getLinks(services: readonly PlannedService[], hasPage = isBuilt): Link[] {
  return services.flatMap((each) =>
    (RULES[each.builtin ?? ''] ?? []).flatMap(({ kind, setting, path, page }): Link[] => {
      if (page !== undefined && !hasPage(page)) return [];
      return listenerUrls([each], setting).map(({ service, url }) => ({ kind, service, url: `${url}${path}` }));
    }),
  );
}
