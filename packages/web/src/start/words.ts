import type { Network } from './api.ts';

const TITLES: Readonly<Record<string, readonly [title: string, text: string]>> = {
  chat: ['Chat', 'Every message is a transaction'],
  api: ['API', 'The messenger over HTTP, call by call'],
  faucet: ['Faucet', 'Coins for the EVM rollup'],
  explorer: ['Explorer', 'Blocks, transactions, accounts, contracts'],
};

const FAUCETS: Readonly<Record<string, readonly [title: string, text: string]>> = {
  'sequencer-faucet': ['Sequencer faucet', 'Coins that pay for bundles and deposits'],
  'messenger-faucet': ['Messenger faucet', 'Coins for messages'],
};

const ORDER: readonly string[] = ['chat', 'explorer', 'faucet', 'api'];

/** Pages and interfaces that can be opened, most wanted first. */
export function getPages({ links }: Pick<Network, 'links'>): Network['links'] {
  const place = ({ kind }: Network['links'][number]) => (ORDER.indexOf(kind) + ORDER.length + 1) % (ORDER.length + 1);
  return links.filter(({ url }) => url !== '').toSorted((a, b) => place(a) - place(b));
}

/** Title of a link, and what it leads to. Faucets differ by their service. */
export function toTitle({ kind, service }: Network['links'][number]): {
  readonly title: string;
  readonly text: string;
} {
  const [title, text] = FAUCETS[service] ?? TITLES[kind] ?? [service, ''];
  return { title, text };
}

/** Whether a person has to look at it. */
export function tone(state: string): 'good' | 'warn' | 'bad' {
  if (state === 'ready' || state === 'finished') return 'good';
  return state === 'failed' || state === 'unhealthy' ? 'bad' : 'warn';
}

/** One line on the health of all services. */
export function health({ services, sequencer: { halt } }: Pick<Network, 'services' | 'sequencer'>): string {
  const other = services.filter(({ state }) => tone(state) !== 'good');
  const problems = [
    ...(halt === '' ? [] : [`the sequencer makes no blocks: ${halt}`]),
    ...other.map(({ name, state, reason }) => `${name} is ${state}${reason === '' ? '' : `: ${reason}`}`),
  ];
  return problems.length === 0 ? `All ${services.length} services are ready.` : problems.join('; ');
}

/** The worst of all services. */
export function networkTone({ services, sequencer }: Pick<Network, 'services' | 'sequencer'>): 'good' | 'warn' | 'bad' {
  const tones = services.map(({ state }) => tone(state));
  if (tones.includes('bad') || sequencer.halt !== '') return 'bad';
  return tones.includes('warn') ? 'warn' : 'good';
}

/** One sentence on what this network is. */
export function lead({ rollup, evm, flow }: Network): string {
  const isMessenger = rollup.url !== '' && rollup.url !== evm?.url;
  const known = [
    ...(isMessenger ? [[rollup.name, `${rollup.name} (a chat)`] as const] : []),
    ...(evm === undefined ? [] : [[evm.name, `${evm.name} (an Ethereum chain)`] as const]),
  ];
  const others = (flow?.rollups ?? []).flatMap(({ name }) => (known.some(([each]) => each === name) ? [] : [name]));
  const rollups = [...known.map(([, text]) => text), ...others];
  const count =
    rollups.length === 0 ? 'no rollup yet' : rollups.length === 1 ? 'one rollup' : `${rollups.length} rollups`;
  const names = rollups.length === 0 ? '' : `: ${new Intl.ListFormat('en').format(rollups)}`;
  return `One sequencer orders transactions for ${count}${names}.`;
}

export interface Chain {
  readonly name: string;
  /** How far it is; empty if it does not answer. */
  readonly state: string;
  /** In the explorer, if there is one. */
  readonly url: string | undefined;
}

/** Address of the explorer, without a slash at the end. */
export const findExplorer = ({ links }: Pick<Network, 'links'>): string | undefined =>
  links.find(({ kind, url }) => kind === 'explorer' && url !== '')?.url.replace(/\/$/, '');

/** The chains with their heights, in the order of the data. */
export function chains({ sequencer, rollup, evm, layer, withdrawals, links }: Network): readonly Chain[] {
  const explorer = findExplorer({ links });
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

/** Addresses for programs, besides the ones in the table of services. */
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
