import type { Network, Service } from './api.ts';

const TITLES: Readonly<Record<string, readonly [title: string, text: string]>> = {
  chat: ['Chat', 'write on the messenger'],
  api: ['HTTP API', 'of the messenger, call by call'],
  faucet: ['Faucet', 'get test funds'],
  explorer: ['Explorer', 'look at blocks and transactions'],
};

const FAUCETS: Readonly<Record<string, string>> = {
  'sequencer-faucet': 'Sequencer faucet',
  'messenger-faucet': 'Messenger faucet',
};

/** Title of a link, and what it leads to. Faucets differ by their service. */
export function titleOf({ kind, service }: Network['links'][number]): {
  readonly title: string;
  readonly text: string;
} {
  const [title, text] = TITLES[kind] ?? [service, ''];
  return { title: FAUCETS[service] ?? title, text };
}

/** Whether a person has to look at it. */
export function tone(state: string): 'good' | 'warn' | 'bad' {
  if (state === 'ready' || state === 'finished') return 'good';
  return state === 'failed' || state === 'unhealthy' ? 'bad' : 'warn';
}

/** One line on the health of all services. */
export function health(services: readonly Service[]): string {
  const other = services.filter(({ state }) => tone(state) !== 'good');
  if (other.length === 0) return `All ${services.length} services are ready.`;
  return other.map(({ name, state, reason }) => `${name} is ${state}${reason === '' ? '' : `: ${reason}`}`).join('; ');
}

export interface Chain {
  readonly name: string;
  /** How far it is; empty where it does not answer. */
  readonly state: string;
  /** In the explorer, where there is one. */
  readonly url: string | undefined;
}

/** The chains with their heights, in the order of the data. */
export function chains({ sequencer, rollup, evm, layer, withdrawals, links }: Network): readonly Chain[] {
  const explorer = links.find(({ kind, url }) => kind === 'explorer' && url !== '')?.url.replace(/\/$/, '');
  const at = (path: string) => (explorer === undefined ? undefined : `${explorer}/#/${path}`);
  const rollupAt = (name: string) => at(`rollups/${encodeURIComponent(name)}`);
  const isMessenger = evm === undefined || rollup.url !== evm.url;
  return [
    { name: `Sequencer ${sequencer.chainId}`, state: blockText(sequencer.height), url: at('') },
    ...(isMessenger && rollup.url !== ''
      ? [{ name: `Rollup ${rollup.name}`, state: rollupState(rollup), url: rollupAt(rollup.name) }]
      : []),
    ...(evm === undefined
      ? []
      : [{ name: `EVM rollup ${evm.name}`, state: rollupState(evm), url: rollupAt(evm.name) }]),
    ...withdrawals.map((each) => ({
      name: `Withdrawals of ${each.rollup || each.service}`,
      state: withdrawalsState(each),
      url: undefined,
    })),
    ...(layer === undefined ? [] : [{ name: 'Data availability', state: layerState(layer), url: undefined }]),
  ];
}

const blockText = (height: string): string => (height === '' ? '' : `block ${height}`);

function rollupState({ height, firm, layerHeight }: Network['rollup'] | NonNullable<Network['evm']>): string {
  if (height === '' || firm === '') return blockText(height);
  return `soft block ${height}, firm block ${firm}${layerHeight === '' ? '' : ` (layer height ${layerHeight})`}`;
}

function withdrawalsState({ paid, waiting, held, missing }: Network['withdrawals'][number]): string {
  const counts = `${paid} paid, ${waiting} waiting${held === '0' || held === '' ? '' : `, ${held} held`}`;
  return missing === '' ? counts : `${counts}; the bridge account holds ${missing} less than it owes`;
}

function layerState({ postedHeight, height, lag }: NonNullable<Network['layer']>): string {
  if (postedHeight === '') return '';
  const place = height === '' ? '' : ` at layer height ${height}`;
  return `sequencer block ${postedHeight} posted${place}${lag === '' ? '' : `, ${lag} behind`}`;
}

/** Where programs connect, besides what is in the table of services. */
export function endpoints({ sequencer, rollup, evm }: Network): readonly (readonly [use: string, value: string])[] {
  const isMessenger = rollup.url !== '' && rollup.url !== evm?.url;
  return [
    ...(evm === undefined
      ? []
      : ([
          ['Ethereum JSON-RPC', evm.url],
          ['Ethereum JSON-RPC, websocket', evm.ws],
          ['Ethereum chain id', evm.chainId],
        ] as const)),
    ...(isMessenger ? [['Messenger HTTP API', rollup.url] as const] : []),
    ['Sequencer RPC', sequencer.rpc] as const,
    ['Sequencer gRPC', sequencer.grpc] as const,
  ].filter(([, value]) => value !== '');
}
