/** Checks of a node's answers. They are loaded apart from the rest of the client: most callers check nothing. */
import { type RollupClient, requestPath } from '@switchyard/client/rollup';
import { getState, stateValue } from '@switchyard/client/rollup-contract';
import {
  type SequencerEvidence,
  type SequencerFacts,
  type StateExpectation,
  type VerifiedHeader,
  type VerifiedState,
  verifySequenced,
  verifyState,
} from '@switchyard/client/verify-state';
import { balances, nonces } from '@switchyard/machine/accounts';
import {
  accountIdFromPublicKey,
  decodeEnvelope,
  decodeRollupData,
  type InclusionProof,
  parseAddress,
  parseDenom,
  Rejected,
  txHashOf,
  verifyEnvelope,
  verifyInclusion,
} from '@switchyard/protocol';
import { wireDecoder } from '@switchyard/rollup/internal';
import type { schema } from '@switchyard/service/contract';
import { getMessage, provenMessage } from '../contract.ts';
import { MAX_ACTIONS, wire } from '../limits.ts';
import type { ProvenAccount, Text } from './queries.ts';
import { anyAction, type MessengerBody } from './sign.ts';

export * from '@switchyard/client/verify-state';

type Rollup = Pick<RollupClient, 'get'>;
type Sequencer = StateExpectation['sequencer'];
const readBody = wireDecoder(anyAction, MAX_ACTIONS);
export type ProvenMessage = schema.TypeOf<typeof provenMessage>;
export type StateValue = schema.TypeOf<typeof stateValue>;

/** A balance with its proof, which there is for none too: that an asset is missing in an account proves nothing. */
export async function provenBalance(
  rollup: Rollup,
  address: string,
  asset: string,
  signal?: AbortSignal,
): Promise<StateValue> {
  const key = `${address}/${asset}`;
  return stateValue.read(await rollup.get(requestPath(getState, { table: 'balances', key, proof: true }), signal));
}

/** A message with the place of its transaction. */
export async function getProvenMessage(rollup: Rollup, id: bigint, signal?: AbortSignal): Promise<ProvenMessage> {
  return provenMessage.read(await rollup.get(requestPath(getMessage, { id, proof: true }), signal));
}

/** Checks the nonce and balances of an account. @throws {Rejected} naming the mismatch. */
export function verifyAccount(shown: ProvenAccount, address: string, sequencer?: Sequencer): VerifiedState {
  const account = parseAddress(address);
  if (shown.proof === undefined) throw new Rejected('malformed', { account: address, problem: 'no proof was given' });
  const keys = [
    nonces.storeKey(account),
    ...shown.balances.map(({ asset }) => balances.storeKey([account, parseDenom(asset).id])),
  ];
  const verified = verifyState(shown.proof, { keys, ...(sequencer && { sequencer }) });
  const [nonce, ...held] = verified.values;
  mustBe('nonce', String(nonces.decode(nonce)), String(shown.nonce));
  for (const [index, { asset, amount }] of shown.balances.entries()) {
    mustBe(asset, String(balances.decode(held[index])), amount);
  }
  return verified;
}

/** Checks a balance, of which there may be none. @throws {Rejected} naming the mismatch. */
export function verifyBalance(
  shown: StateValue,
  { address, asset }: { readonly address: string; readonly asset: string },
  sequencer?: Sequencer,
): VerifiedState & { readonly amount: bigint } {
  if (shown.proof === undefined) throw new Rejected('malformed', { account: address, problem: 'no proof was given' });
  const keys = [balances.storeKey([parseAddress(address), parseDenom(asset).id])];
  const verified = verifyState(shown.proof, { keys, ...(sequencer && { sequencer }) });
  const amount = balances.decode(verified.values[0]);
  mustBe(asset, String(amount), String(shown.decoded));
  return { ...verified, amount };
}

export interface MessageEvidence extends Omit<SequencerEvidence, 'data'> {
  readonly inclusion: InclusionProof;
}

/**
 * Checks that the sequencer ordered these words, signed by this account. That the transaction was executed is the node's
 * claim: a message is derived from it and is no part of the state.
 *
 * @param message The shown message.
 * @throws {Rejected} naming the mismatch.
 */
export function verifyMessage(
  message: Pick<Text, 'id' | 'sender' | 'message' | 'address' | 'hash'>,
  { inclusion: claimed }: ProvenMessage,
  { signed, validators, inclusion }: MessageEvidence,
  facts: SequencerFacts,
): VerifiedHeader {
  const fault = (problem: string) => new Rejected('malformed', { message: String(message.id), problem });
  if (claimed === undefined) throw fault('no place in a block was given');
  const header = verifySequenced(claimed.block, { signed, validators, data: inclusion }, facts);
  if (!verifyInclusion(inclusion, signed.header.dataHash)) throw fault('its bytes are not in the sequencer block');
  const entry = decodeRollupData(inclusion.data);
  if (entry.kind !== 'sequencedData' || txHashOf(entry.data) !== message.hash) {
    throw fault('other bytes are at its place in the sequencer block');
  }
  const envelope = decodeEnvelope(entry.data, wire.typeUrl);
  verifyEnvelope(envelope);
  if (message.address === undefined || accountIdFromPublicKey(envelope.publicKey) !== parseAddress(message.address)) {
    throw fault('another account has signed it');
  }
  // The decoder was made from the actions of the messenger.
  const { actions } = readBody(envelope.body) as unknown as MessengerBody;
  const isSent = actions.some(
    (action) => action.kind === 'sendText' && action.name === message.sender && action.text === message.message,
  );
  if (!isSent) {
    throw fault('its transaction has other words');
  }
  return header;
}

function mustBe(what: string, proven: string, shown: string): void {
  if (proven === shown) return;
  throw new Rejected('malformed', { what, problem: 'the node shows another value than it proves', proven, shown });
}
