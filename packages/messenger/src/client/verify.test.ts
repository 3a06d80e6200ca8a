import { rollupClient } from '@switchyard/client/rollup';
import { FakeSequencer, getValidators, testSigner } from '@switchyard/client/testing';
import { proveInclusion, type RollupId, rollupIdFromName, toHex } from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { ALICE, alice, BOB, CAROL, exampleFile, messengerNode, text, transfer } from '../testing/messenger.ts';
import { findMessages, provenAccount } from './queries.ts';
import {
  getProvenMessage,
  provenBalance,
  type SequencerFacts,
  sequencerEvidence,
  verifyAccount,
  verifyBalance,
  verifyMessage,
} from './verify.ts';

const [rollup, genesisHeight] = [rollupIdFromName(exampleFile.rollup_name), 2n];
const nodes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

type Forgery = (path: string, answer: string) => string;

/** A node behind a proxy, on a sequencer with real headers. */
async function world() {
  const node = await messengerNode();
  nodes.push(node);
  const sequencer = new FakeSequencer('sequencer', [1, 2, 3, 4].map(testSigner));
  for (let height = 0n; height < genesisHeight; height += 1n) sequencer.produce(rollup);
  let forge: Forgery = (_, answer) => answer;
  const client = rollupClient({
    url: '',
    fetch: async (path) => {
      const answer = await node.app.request(path);
      return new Response(forge(path, await answer.text()), answer);
    },
  });
  const facts: SequencerFacts = {
    chainId: 'sequencer',
    rollup,
    genesisHeight,
    validators: getValidators([1, 2, 3, 4].map(testSigner)),
  };
  return {
    node,
    sequencer,
    client,
    facts,
    forge(next: Forgery): void {
      forge = next;
    },
    async block(...data: readonly Uint8Array[]) {
      sequencer.produceBlock(new Map<RollupId, readonly Uint8Array[]>(data.length === 0 ? [] : [[rollup, data]]));
      const { hash } = await sequencer.sequencerBlock(sequencer.height);
      return node.block({ data, sequencerBlockHash: toHex(hash) });
    },
    evidence: (height = sequencer.height) => sequencerEvidence(sequencer, height, rollup),
    async messageEvidence(position: number, height = sequencer.height) {
      const inclusion = proveInclusion(await sequencer.filteredBlock(height, rollup), rollup, position);
      const [signed, validators] = [await sequencer.commit(height), await sequencer.validators(height)];
      return { inclusion, signed, validators };
    },
  };
}

test('a balance is proven up to the header that the validators signed', async () => {
  const { client, block, evidence, facts, sequencer } = await world();
  await block(transfer(0, alice, CAROL, 5n));
  const sequenced = { evidence: await evidence(), facts };
  const { header, block: proven } = verifyAccount(await provenAccount(client, CAROL), CAROL, sequenced);
  const [entry] = (await sequencer.sequencerBlock(sequencer.height)).rollups;
  expect(header).toMatchObject({ height: 3n, isTrusted: true, dataRoot: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect([proven.number, entry?.rollup]).toEqual([1n, rollup]);
  const held = await provenBalance(client, CAROL, 'nria');
  expect(verifyBalance(held, { address: CAROL, asset: 'nria' }, sequenced).amount).toBe(5n);
});

test('that an account has none of an asset is proven, in a block without data', async () => {
  const { client, block, evidence, facts } = await world();
  await block();
  const none = await provenBalance(client, CAROL, 'nria');
  const checked = verifyBalance(none, { address: CAROL, asset: 'nria' }, { evidence: await evidence(), facts });
  expect([checked.amount, checked.header?.dataRoot, none.value]).toEqual([0n, undefined, null]);
});

const changed =
  (pattern: RegExp, replacement: string): Forgery =>
  (_, answer) =>
    answer.replace(pattern, replacement);
/** The last byte of one part counts to the next one, so that the bytes in a row are the same. */
const moved = (answer: string) =>
  answer.replace(
    /"stateRoot":"([0-9a-f]{62})(..)","receiptsHash":"/,
    (_, root: string, byte: string) => `"stateRoot":"${root}","receiptsHash":"${byte}`,
  );
const flipped = (hex: string) => `${hex.startsWith('0') ? '1' : '0'}${hex.slice(1)}`;

test.each<[string, Forgery, string]>([
  ['another amount', changed(/"amount":"\d+"/, '"amount":"7"'), 'the node shows another value than it proves'],
  ['another nonce', changed(/"nonce":\d+/, '"nonce":9'), 'the node shows another value than it proves'],
  ['no proof', changed(/,"proof":.*\}$/, '}'), 'no proof was given'],
  [
    'another state root',
    (_, answer) => answer.replace(/"stateRoot":"([0-9a-f]+)"/, (all, root: string) => all.replace(root, flipped(root))),
    'its parts do not have its hash',
  ],
  ['parts whose bytes are moved', (_, answer) => moved(answer), 'malformed: field block hash'],
  [
    'a proof of another key',
    changed(/accounts\/nonce\/[0-9a-f]{40}/, `accounts/nonce/${'0'.repeat(40)}`),
    'a proof of another key',
  ],
  [
    'another value in the proof',
    (_, answer) => answer.replace(/"value":"[0-9a-f]{32}"/, `"value":"${'0'.repeat(31)}7"`),
    'the value is not under the state root',
  ],
])('a node is found out that answers %s', async (_, forgery, problem) => {
  const { client, block, forge } = await world();
  await block(transfer(0, alice, BOB, 5n));
  verifyAccount(await provenAccount(client, ALICE), ALICE);
  forge(forgery);
  const shown = await provenAccount(client, ALICE);
  expect(() => verifyAccount(shown, ALICE)).toThrow(problem);
});

test('a chain of its own does not pass for one that the sequencer ordered', async () => {
  const honest = await world();
  await honest.block(transfer(0, alice, BOB, 5n));
  // Sound in itself: the node executes blocks that no sequencer made.
  const { client, node } = await world();
  await node.block({ data: [transfer(0, alice, BOB, 6n)] });
  const shown = await provenAccount(client, BOB);
  verifyAccount(shown, BOB);
  const sequenced = { evidence: await honest.evidence(), facts: honest.facts };
  expect(() => verifyAccount(shown, BOB, sequenced)).toThrow('it names another sequencer block than the signed one');
});

test('that a block was executed rightly is not proven: its hash is another one than that of an honest node', async () => {
  const honest = await world();
  const { number, hash } = await honest.block(transfer(0, alice, BOB, 5n));
  const { client, node, facts } = await world();
  const [data, sequencerBlockHash] = [
    [transfer(0, alice, BOB, 6n)],
    (await honest.node.chain.block({ number }))?.sequencerBlockHash,
  ];
  await node.block({ data, ...(sequencerBlockHash !== undefined && { sequencerBlockHash }) });
  const shown = await provenAccount(client, BOB);
  const { block } = verifyAccount(shown, BOB, { evidence: await honest.evidence(), facts });
  expect(block.number).toBe(number);
  expect(block.hash).not.toBe(hash);
});

test('a header is refused that too few signed, of other validators, and of another height', async () => {
  const { client, block, evidence, facts, sequencer } = await world();
  await block(transfer(0, alice, BOB, 5n));
  const shown = await provenAccount(client, BOB);
  const real = await evidence();
  const check = (changes: Partial<typeof real>, others: Partial<SequencerFacts> = {}) =>
    verifyAccount(shown, BOB, { evidence: { ...real, ...changes }, facts: { ...facts, ...others } });
  expect(check({}).header?.isTrusted).toBe(true);
  expect(check({}, { validators: undefined }).header?.isTrusted).toBe(false);
  const { header, commit } = real.signed;
  const absent = commit.signatures.map((vote, at) => (at < 2 ? { flag: 'absent' as const } : vote));
  expect(() => check({ signed: { header, commit: { ...commit, signatures: absent } } })).toThrow('too little power');
  expect(() => check({}, { validators: getValidators([testSigner(1), ...[7, 8, 9].map(testSigner)]) })).toThrow(
    'too few of the trusted validators have signed it',
  );
  // Two of four stand behind the set.
  check({}, { validators: getValidators([1, 2, 8, 9].map(testSigner)) });
  expect(() => check({}, { genesisHeight: genesisHeight + 1n })).toThrow('a header of another height');
  expect(() => check({}, { chainId: 'other' })).toThrow('header of another chain');
  sequencer.produce(rollup, 'more');
  const next = await evidence();
  expect(() => check({ data: next.data })).toThrow('the data of the rollup is not under its data hash');
});

test('the words of a message are proven by the sequencer block', async () => {
  const { client, block, messageEvidence, facts } = await world();
  await block(text(0, alice, 'first'), text(9, alice, 'refused: a nonce too far'), text(1, alice, 'second'));
  const { messages } = await findMessages(client);
  const [second] = messages;
  if (second?.id === undefined) throw new Error('no message');
  const proven = await getProvenMessage(client, second.id);
  expect(proven.inclusion?.position).toBe(2);
  const found = await messageEvidence(2);
  expect(verifyMessage(second, proven, found, facts).height).toBe(3n);
  const refuted = (shown: Partial<typeof second>) => () => verifyMessage({ ...second, ...shown }, proven, found, facts);
  expect(refuted({ message: 'other words' })).toThrow('its transaction has other words');
  expect(refuted({ sender: 'mallory' })).toThrow('its transaction has other words');
  expect(refuted({ address: BOB })).toThrow('another account has signed it');
  expect(refuted({ hash: 'ab'.repeat(32) })).toThrow('other bytes are at its place');
  const first = await messageEvidence(0);
  expect(() => verifyMessage(second, proven, first, facts)).toThrow('other bytes are at its place');
  const elsewhere = { ...found, inclusion: { ...found.inclusion, dataProof: first.inclusion.dataProof } };
  expect(() => verifyMessage(second, proven, elsewhere, facts)).toThrow('its bytes are not in the sequencer block');
});

test('the greeting has no place in a block', async () => {
  const { client, block } = await world();
  await block();
  await expect(getProvenMessage(client, 0n)).rejects.toMatchObject({ status: 404 });
});
