import { toHex } from '@switchyard/protocol';
import { keccak256 } from '@switchyard/protocol/ethereum';
import { getParameter, type Parameter } from '../decode/abi.ts';
import { decodeValues } from '../decode/values.ts';
import type { EvmBlock } from '../evm-block.ts';

/** To an account of the sequencer, or through it to a chain that is connected by IBC. */
export type WithdrawalKind = 'sequencer' | 'ics20';

type Log = Pick<EvmBlock['transactions'][number]['logs'][number], 'topics' | 'data'>;

const toTopic = (signature: string): string => toHex(keccak256(new TextEncoder().encode(signature)));
const destination = getParameter('string', 'destinationChainAddress');
const KINDS = new Map<string, { readonly kind: WithdrawalKind; readonly parameters: readonly Parameter[] }>([
  [toTopic('SequencerWithdrawal(address,uint256,string)'), { kind: 'sequencer', parameters: [destination] }],
  [
    toTopic('Ics20Withdrawal(address,uint256,string,string)'),
    { kind: 'ics20', parameters: [destination, getParameter('string', 'memo')] },
  ],
]);
const MAX_DESTINATION = 256;

/** The event of a bridge contract, whose sender and amount are indexed. Any contract can emit the same. */
export function withdrawalEvent({ topics, data }: Log) {
  const [topic = '', sender, amount, more] = topics;
  const form = KINDS.get(topic);
  if (form === undefined || sender === undefined || amount === undefined || more !== undefined) return undefined;
  const to = decodeValues(form.parameters, `0x${data}`)?.[0]?.value;
  if (typeof to !== 'string' || !/^0{24}/.test(sender)) return undefined;
  return {
    sender: sender.slice(24),
    amount: BigInt(`0x${amount}`),
    // On the chain if it is to be paid.
    destination: to.slice(0, MAX_DESTINATION),
    kind: form.kind,
  };
}

/** Id of an event in the withdrawal that pays for it: the transaction, and the position of the log in its block. */
export const eventId = (transaction: string, log: number): string =>
  `0x${transaction}.0x${log.toString(16).padStart(64, '0')}`;
