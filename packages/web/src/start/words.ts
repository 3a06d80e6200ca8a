import type { Network, Service } from './api.ts';

const TITLES: Readonly<Record<string, readonly [title: string, text: string]>> = {
  chat: ['Chat', 'write on the messenger'],
  api: ['HTTP API', 'of the messenger, call by call'],
  faucet: ['Faucet', 'get test funds'],
  explorer: ['Explorer', 'look at blocks and transactions'],
};

/** What a link leads to. Two faucets differ by their service. */
export function titleOf({ kind, service }: Network['links'][number]): {
  readonly title: string;
  readonly text: string;
} {
  const [title, text] = TITLES[kind] ?? [service, ''];
  return { title: service === 'sequencer-faucet' ? 'Sequencer faucet' : title, text };
}

/** Whether a person has to look at it. */
export function tone(state: string): 'good' | 'warn' | 'bad' {
  if (state === 'ready' || state === 'finished') return 'good';
  return state === 'failed' ? 'bad' : 'warn';
}

/** One line on the health of all services. */
export function health(services: readonly Service[]): string {
  const other = services.filter(({ state }) => tone(state) !== 'good');
  if (other.length === 0) return `All ${services.length} services are ready.`;
  return other.map(({ name, state, reason }) => `${name} is ${state}${reason === '' ? '' : `: ${reason}`}`).join('; ');
}

/** The chains with their heights, in the order of the data. */
export function chains({ sequencer, rollup, evm }: Network): readonly (readonly [name: string, height: string])[] {
  const isMessenger = evm === undefined || rollup.url !== evm.url;
  return [
    [`Sequencer ${sequencer.chainId}`, sequencer.height],
    ...(isMessenger && rollup.url !== '' ? [[`Rollup ${rollup.name}`, rollup.height] as const] : []),
    ...(evm === undefined ? [] : [[`EVM rollup ${evm.name}`, evm.height] as const]),
  ];
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
