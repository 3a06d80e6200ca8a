import { formatCount } from '../ui/format.ts';
import type { Network } from './api.ts';

/** Whether a person has to look at it. */
export function tone(state: string): 'good' | 'warn' | 'bad' {
  if (state === 'ready' || state === 'finished') return 'good';
  return state === 'failed' || state === 'unhealthy' ? 'bad' : 'warn';
}

/** One line on the health of all services, with the heights that grow while all is well. */
export function health({ services, problems, sequencer, layer }: Network): string {
  const trouble = problems.length === 1 ? 'One problem' : `${problems.length} problems`;
  const all = problems.length === 0 ? `All ${services.length} services are ready` : trouble;
  const posted = layer?.postedHeight ? [`posted up to block ${formatCount(layer.postedHeight)}`] : [];
  const heights = sequencer.height === '' ? [] : [`sequencer at block ${formatCount(sequencer.height)}`, ...posted];
  return [all, ...heights].join(' · ');
}

/** The worst of all services. */
export function networkTone({ services, sequencer }: Pick<Network, 'services' | 'sequencer'>): 'good' | 'warn' | 'bad' {
  const tones = services.map(({ state }) => tone(state));
  if (tones.includes('bad') || sequencer.halt !== '') return 'bad';
  return tones.includes('warn') ? 'warn' : 'good';
}

/** Without a messenger, the EVM rollup stands in its place. */
const hasMessenger = ({ rollup, evm }: Network): boolean => rollup.url !== '' && rollup.url !== evm?.url;

/** One sentence on what this network is. */
export function lead(network: Network): string {
  const { rollup, evm, flow } = network;
  const known = [
    ...(hasMessenger(network) ? [[rollup.name, `${rollup.name} (a chat)`] as const] : []),
    ...(evm === undefined ? [] : [[evm.name, `${evm.name} (an Ethereum chain)`] as const]),
  ];
  const others = (flow?.rollups ?? []).flatMap(({ name }) => (known.some(([each]) => each === name) ? [] : [name]));
  const rollups = [...known.map(([, text]) => text), ...others];
  const count =
    rollups.length === 0 ? 'no rollup yet' : rollups.length === 1 ? 'one rollup' : `${rollups.length} rollups`;
  const names = rollups.length === 0 ? '' : `: ${new Intl.ListFormat('en').format(rollups)}`;
  return `One sequencer orders transactions for ${count}${names}.`;
}

/** Address of the explorer, without a slash at the end. */
export const findExplorer = ({ links }: Pick<Network, 'links'>): string | undefined =>
  links.find(({ kind, url }) => kind === 'explorer' && url !== '')?.url.replace(/\/$/, '');

/** Paid and open withdrawals by rollup. */
export const withdrawals = ({ withdrawals: all }: Network): readonly (readonly [rollup: string, state: string])[] =>
  all.map((each) => [each.rollup || each.service, withdrawalsState(each)]);

function withdrawalsState({ paid, waiting, held, missing }: Network['withdrawals'][number]): string {
  const counts = `${paid} paid, ${waiting} waiting${held === '0' || held === '' ? '' : `, ${held} held`}`;
  return missing === '' ? counts : `${counts}; the bridge account holds ${missing} less than it owes`;
}

/** Addresses for programs, besides the ones in the table of services. */
export function endpoints(network: Network): readonly (readonly [use: string, value: string])[] {
  const { sequencer, rollup, evm } = network;
  const all = [
    ['Ethereum JSON-RPC', evm?.url],
    ['Ethereum JSON-RPC, websocket', evm?.ws],
    ['Ethereum chain id', evm?.chainId],
    ['Messenger HTTP API', hasMessenger(network) ? rollup.url : ''],
    ['Sequencer chain id', sequencer.chainId],
    ['Sequencer RPC', sequencer.rpc],
    ['Sequencer gRPC', sequencer.grpc],
  ] as const;
  return all.flatMap(([use, value]) => (value ? [[use, value]] : []));
}
