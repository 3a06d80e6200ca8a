import type { PlannedService } from '../services/planned.ts';
import { urlOf } from '../status/overview.ts';

/** A page, or an interface, that people open. */
export interface Link {
  readonly kind: 'chat' | 'api' | 'faucet' | 'explorer';
  /** Name of the service. */
  readonly service: string;
  readonly url: string;
}

interface Rule {
  readonly kind: Link['kind'];
  /** That of the listener. */
  readonly setting: string;
  readonly path: string;
}

/** What our services serve to people. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  messenger: [
    { kind: 'chat', setting: 'REST_ADDR', path: '/' },
    { kind: 'api', setting: 'REST_ADDR', path: '/docs' },
  ],
  faucet: [{ kind: 'faucet', setting: 'SVC_FAUCET_LISTEN_ADDR', path: '/' }],
  explorer: [{ kind: 'explorer', setting: 'SVC_EXPLORER_LISTEN_ADDR', path: '/' }],
};

/** Only of what the network runs. */
export function linksOf(services: readonly PlannedService[]): Link[] {
  return services.flatMap(({ name, builtin, ports }) =>
    (RULES[builtin ?? ''] ?? []).flatMap(({ kind, setting, path }): Link[] => {
      const use = ports.find((port) => port.setting === setting);
      return use === undefined || use.port === 0 ? [] : [{ kind, service: name, url: `${urlOf(use)}${path}` }];
    }),
  );
}
