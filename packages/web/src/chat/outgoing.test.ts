import { RollupRefused } from '@switchyard/client/rollup';
import { createSigner, formatAddress } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { type DeliveryDeps, deliver } from './delivery.ts';
import { isHeld, type Outgoing, type OutgoingEvent, reduceOutgoing, type Signed } from './outgoing.ts';
import { decodeOutgoing, encodeOutgoing } from './outgoing-record.ts';

const signer = createSigner(new Uint8Array(32).fill(1));
const account = formatAddress(signer.account);
const wanted: OutgoingEvent = { kind: 'wanted', key: 'a', account, intent: { kind: 'text', text: 'hi', name: 'ann' } };
const after = (...events: OutgoingEvent[]) => events.reduce(reduceOutgoing, [] as readonly Outgoing[]);

const toSign = (nonce: number) => ({
  body: { nonce, chainId: 'chat', lastBlock: 71n },
  blocks: { first: 8n, last: 71n },
});

function deps(changes: Partial<DeliveryDeps> = {}): DeliveryDeps {
  return {
    nativeAsset: 'nria',
    getSigner: async () => ({ ...signer, sign: async (message) => signer.sign(message) }),
    toSign: async () => toSign(0),
    submit: async () => undefined,
    getOutcome: async () => undefined,
    ...changes,
  };
}

const noAnswer = new Error('no answer');

/** Repeats the steps until nothing is left to do. */
async function run(start: readonly Outgoing[], each: DeliveryDeps): Promise<Outgoing | undefined> {
  let all = start;
  for (let step = 0; step < 20; step += 1) {
    const [one] = all;
    if (one?.state !== 'waiting') return one;
    const tried: OutgoingEvent = { kind: 'tried', key: one.key };
    const event = await deliver(one, each).catch((error: unknown) => {
      expect(error).toBe(noAnswer);
      return tried;
    });
    all = reduceOutgoing(all, event);
  }
  return all[0];
}

test('bytes whose answer was lost are sent again as they are, and not at all where they arrived', async () => {
  const sent: Uint8Array[] = [];
  const submit = async (bytes: Uint8Array) => {
    sent.push(bytes);
    if (sent.length === 1) throw noAnswer;
  };
  expect(await run(after(wanted), deps({ submit }))).toMatchObject({ state: 'accepted' });
  expect(sent).toHaveLength(2);
  expect(sent[0]).toEqual(sent[1]);

  sent.length = 0;
  const getOutcome = async ({ hash }: Signed) => ({ hash, state: 'executed' as const });
  expect(await run(after(wanted), deps({ submit, getOutcome }))).toMatchObject({ state: 'executed' });
  expect(sent).toHaveLength(1);
});

test('a transaction that another one has outrun is signed again with the next nonce, a few times', async () => {
  let nonce = 0;
  const refused = new RollupRefused(409, 'nonce-too-low', 'expected 1, got 0');
  const submit = async () => {
    if (nonce < 2) throw refused;
  };
  const signNext = async () => toSign(nonce++);
  expect(await run(after(wanted), deps({ submit, toSign: signNext }))).toMatchObject({
    state: 'accepted',
    resigned: 1,
  });
  const never = deps({ submit: () => Promise.reject(refused) });
  expect(await run(after(wanted), never)).toMatchObject({ state: 'refused' });
});

test('nothing is signed with another key where the key of its account is absent', async () => {
  const one = await run(after(wanted), deps({ getSigner: () => undefined }));
  expect(one).toMatchObject({ state: 'refused', reason: expect.stringContaining('is not in this browser') });
  expect(one?.signed).toBeUndefined();
});

test('a key that fails to sign is a refusal, not an endless attempt', async () => {
  const broken = { ...signer, sign: () => Promise.reject(new Error('no such key')) };
  const one = await run(after(wanted), deps({ getSigner: async () => broken }));
  expect(one).toMatchObject({ state: 'refused', reason: expect.stringContaining('no such key') });
});

test('a refused message can be sent again, which signs it anew', async () => {
  const submit = () => Promise.reject(new RollupRefused(422, 'insufficient-balance', 'no coins'));
  const refused = await run(after(wanted), deps({ submit }));
  expect(refused).toMatchObject({ state: 'refused', reason: 'no coins' });
  const [again] = reduceOutgoing(refused ? [refused] : [], { kind: 'retry', key: 'a' });
  expect(again).toMatchObject({ state: 'waiting', intent: { text: 'hi' } });
  expect(again?.signed).toBeUndefined();
});

test('states only advance, whatever order answers come in', () => {
  const progress = (state: 'accepted' | 'ordered' | 'executed' | 'firm'): OutgoingEvent => ({
    kind: 'progress',
    key: 'a',
    state,
  });
  expect(after(wanted, progress('executed'), progress('accepted'), progress('ordered'))[0]?.state).toBe('executed');
});

test('a reload of the page keeps what is under way, and asks before it sends signed bytes again', () => {
  const signed = { bytes: Uint8Array.of(1, 2), hash: 'ab' };
  const transfer: OutgoingEvent = {
    kind: 'wanted',
    key: 'b',
    account,
    intent: { kind: 'transfer', to: account, amount: 2n ** 100n, asset: 'nria' },
  };
  const all = after(wanted, transfer, { kind: 'signed', key: 'a', signed });
  expect(decodeOutgoing(encodeOutgoing(all))).toEqual([{ ...all[0], isTried: true }, all[1]]);
});

test('a message of an account without coins is held until it is signed, over a reload too, and can be removed', () => {
  const canPay = () => false;
  const [one] = decodeOutgoing(encodeOutgoing(after(wanted)));
  expect([one && isHeld(one, canPay), one && isHeld(one, () => true)]).toEqual([true, false]);
  const signed: OutgoingEvent = { kind: 'signed', key: 'a', signed: { bytes: new Uint8Array(1), hash: 'ab' } };
  expect(after(wanted, signed).map((each) => isHeld(each, canPay))).toEqual([false]);
  const dismissed: OutgoingEvent = { kind: 'dismissed', key: 'a' };
  expect(after(wanted, dismissed)).toEqual([]);
  expect(after(wanted, signed, dismissed)).toHaveLength(1);
});
