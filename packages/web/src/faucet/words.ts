import type { Claim, Info } from './api.ts';

/** The texts of the page. Plain functions, so that every state can be tried without a browser. */

type Named = Partial<Pick<Info, 'network' | 'chainId'>>;

export const networkName = ({ network = '', chainId }: Named): string =>
  /^\d+$/.test(network) && network === chainId ? `chain ${chainId}` : network;

export function title(info: Named): string {
  return info.network === undefined || info.network === 'unknown' ? 'Faucet' : `Faucet of ${networkName(info)}`;
}

export function rule({ payout, symbol, minutes, clientClaims }: Info): string {
  const pays = `${payout} ${symbol} per claim.`;
  if (minutes === 0) return `${pays} You may claim as often as you like.`;
  const span = minutes % 60 === 0 ? each(minutes / 60, 'hour') : each(minutes, 'minute');
  return `${pays} One claim for each address every ${span}, and at most ${plural(clientClaims, 'claim')} from your network address.`;
}

/** Text about what stands in the way, if something does. */
export function obstacle({ state, problem }: Info): string {
  if (state === 'absent') return 'The node does not answer. Claims are taken, and paid when it is back.';
  return state === 'ready' ? '' : sentence(problem);
}

export function progress({ state, address, amount, symbol, block, reason, ahead = 0, note }: Claim): string {
  switch (state) {
    case 'paid':
      return `Paid ${amount} ${symbol} to ${address} in block ${block}.`;
    case 'sent':
      return `Sent ${amount} ${symbol} to ${address}. Waiting for its block.`;
    case 'failed':
      return `Not paid: ${reason}.`;
    default:
      return `In the queue${ahead === 0 ? '' : ` behind ${plural(ahead, 'other claim')}`}. ${note === undefined ? 'It is sent in a moment.' : sentence(note)}`;
  }
}

/** The last column of the list. */
export function outcome({ state, block, reason }: Claim): string {
  if (state === 'paid') return `paid in block ${block}`;
  if (state === 'failed') return `not paid: ${reason}`;
  return state === 'sent' ? 'sent, waiting for its block' : 'in the queue';
}

/** Form of an address of the chain, as a hint. */
export function addressHint({ kind }: Pick<Info, 'kind'>): string {
  if (kind === 'evm') return '0x… (an account or a contract)';
  return `astria1… (an account of the ${kind})`;
}

/** The transaction in the explorer, if one is known that has it. */
export function transactionUrl(
  { explorerUrl, kind, rollup }: Pick<Info, 'explorerUrl' | 'kind' | 'rollup'>,
  hash: string | undefined,
): string | undefined {
  if (explorerUrl === undefined || hash === undefined || (rollup === undefined && kind !== 'sequencer'))
    return undefined;
  const chain =
    kind === 'sequencer' ? '' : `/rollups/${encodeURIComponent(rollup ?? '')}${kind === 'evm' ? '/evm' : ''}`;
  return `${explorerUrl.replace(/\/$/, '')}/#${chain}/transactions/${encodeURIComponent(hash)}`;
}

export function sentence(text = ''): string {
  const ends = /[.!?]$/.test(text) ? '' : '.';
  return text === '' ? '' : text.charAt(0).toUpperCase() + text.slice(1) + ends;
}

/** `hour`, `2 hours` */
const each = (number: number, unit: string) => (number === 1 ? unit : plural(number, unit));

function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
