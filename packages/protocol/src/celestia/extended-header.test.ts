import { expect, test } from 'vitest';
import { createSigner, type Signer } from '../accounts/keys.ts';
import type { Timestamp } from '../bytes/timestamp.ts';
import { voteSignBytes } from '../comet/commit.ts';
import { headerHash, validatorSetHash } from '../comet/hashes.ts';
import type { CometHeader } from '../comet/types.ts';
import { Rejected } from '../errors.ts';
import { alice, bob, carol, getValidators } from '../testing.ts';
import { dahHash, verifyDah } from './dah.ts';
import {
  bisectHeaders,
  type ExtendedHeader,
  verifyExtendedHeader,
  verifyFollowing,
  verifyTrustRoot,
} from './extended-header.ts';
import { extendedHeaderFromJson } from './json.ts';
import { vector } from './vectors.testing.ts';

const CHAIN = vector('header.json').at('chainId').text();
const previous = extendedHeaderFromJson(vector('header.json').at('previous'));
const header = extendedHeaderFromJson(vector('header.json').at('header'));
const empty = extendedHeaderFromJson(vector('header-empty-block.json'));
const DAY = 24n * 3_600n * 1_000_000_000n;
const OPTIONS = {
  trustLevel: { numerator: 1n, denominator: 3n },
  trustingPeriod: 7n * DAY,
  clockDrift: 10_000_000_000n,
};
const defer = (after: ExtendedHeader): Timestamp => ({
  ...after.header.time,
  seconds: after.header.time.seconds + 60n,
});

test.each([
  ['with blobs', header],
  ['without', empty],
  ['before it', previous],
])('accepts the recorded header of a block %s', (_, recorded) => {
  expect(() => verifyExtendedHeader(CHAIN, recorded)).not.toThrow();
});

const mallory = createSigner(new Uint8Array(32).fill(66));

/** The header with other members, hashed and signed again by the given signers. */
function signed(base: ExtendedHeader, members: Partial<CometHeader>, signers: readonly Signer[]): ExtendedHeader {
  const validators = getValidators(signers);
  const hash = validatorSetHash(validators);
  const changed = { ...base.header, validatorsHash: hash, nextValidatorsHash: hash, ...members };
  const { height, time } = changed;
  const blockId = { ...base.commit.blockId, hash: headerHash(changed) };
  const message = voteSignBytes(changed.chainId, { height, round: 0, blockId, timestamp: time });
  const signatures = signers.map((signer, index) => ({
    flag: 'commit' as const,
    validator: validators[index]?.address ?? new Uint8Array(),
    timestamp: time,
    signature: signer.sign(message),
  }));
  return { ...base, header: changed, validators, commit: { height, round: 0, blockId, signatures } };
}

const [root] = header.dah.rowRoots;
const roots = header.dah.rowRoots.map((each, index) => (index === 1 ? (root ?? each) : each));
const otherDah = { ...header.dah, rowRoots: roots };
const later = { ...header.header.time, seconds: header.header.time.seconds + 1n };
const rehashed = (members: Partial<CometHeader>): ExtendedHeader => {
  const changed = { ...header.header, ...members };
  const blockId = { ...header.commit.blockId, hash: headerHash(changed) };
  return { ...header, header: changed, commit: { ...header.commit, blockId } };
};
const inflated = header.validators.map((validator) => ({ ...validator, power: 7_777_777n }));
const silent = { ...header.commit, signatures: header.commit.signatures.map(() => ({ flag: 'absent' as const })) };
const forgedVotes = header.commit.signatures.map((vote) =>
  vote.flag === 'absent' ? vote : { ...vote, signature: new Uint8Array(64) },
);

test.each<[string, ExtendedHeader, string]>([
  ['a changed time', { ...header, header: { ...header.header, time: later } }, 'commit of another header'],
  ['a changed time, hashed again', rehashed({ time: later }), 'bad signature'],
  ['a changed root', { ...header, dah: otherDah }, 'roots of another block'],
  [
    'a changed root with its data hash',
    { ...header, dah: otherDah, header: { ...header.header, dataHash: dahHash(otherDah) } },
    'commit of another header',
  ],
  [
    'a changed root, all hashed again',
    { ...rehashed({ dataHash: dahHash(otherDah) }), dah: otherDah },
    'bad signature',
  ],
  ['the roots of another block', { ...header, dah: empty.dah }, 'roots of another block'],
  ['a changed signature', { ...header, commit: { ...header.commit, signatures: forgedVotes } }, 'bad signature'],
  ['no signature', { ...header, commit: silent }, 'too little power signed'],
  ['the commit of another block', { ...header, commit: empty.commit }, 'commit of another height'],
  ['changed power', { ...header, validators: inflated }, 'another validator set'],
  ['another set', { ...header, validators: getValidators([mallory]) }, 'another validator set'],
])('refuses %s', (_, forged, problem) => {
  expect(() => verifyExtendedHeader(CHAIN, forged)).toThrow(Rejected);
  expect(() => verifyExtendedHeader(CHAIN, forged)).toThrow(problem);
});

test('refuses a header of another chain', () => {
  expect(() => verifyExtendedHeader('celestia', header)).toThrow('header of another chain');
});

const { rowRoots, columnRoots } = header.dah;
const joined = [...rowRoots, ...columnRoots];
test.each([
  ['rows given as columns', joined.slice(0, 16), joined.slice(16)],
  ['one row', joined.slice(0, 1), joined.slice(1, 2)],
  ['a number of rows that is no power of two', joined.slice(0, 24), joined.slice(24, 48)],
  ['more rows than any square has', Array(2_048).fill(root), Array(2_048).fill(root)],
  ['no rows', [], []],
  ['short roots', rowRoots.map((each) => each.subarray(1)), columnRoots],
])('refuses %s, whatever they hash to', (_, rows, columns) => {
  const dah = { rowRoots: rows, columnRoots: columns };
  expect(() => verifyDah(dah, dahHash(dah))).toThrow(Rejected);
});

test('trust begins with one header, by height and hash', () => {
  const { hash } = header.commit.blockId;
  expect(() => verifyTrustRoot({ chainId: CHAIN, height: 12n, hash }, header)).not.toThrow();
  expect(() => verifyTrustRoot({ chainId: CHAIN, height: 13n, hash }, header)).toThrow('not the trusted header');
  expect(() => verifyTrustRoot({ chainId: CHAIN, height: 12n, hash }, empty)).toThrow('not the trusted header');
  const forged = signed(header, {}, [mallory]);
  expect(() => verifyExtendedHeader(CHAIN, forged)).not.toThrow();
  expect(() => verifyTrustRoot({ chainId: CHAIN, height: 12n, hash }, forged)).toThrow('not the trusted header');
  const renamed = { ...empty, commit: { ...empty.commit, blockId: header.commit.blockId } };
  expect(() => verifyTrustRoot({ chainId: CHAIN, height: 13n, hash }, renamed)).toThrow('commit of another header');
});

test('a header follows the one before it', () => {
  expect(verifyFollowing(header, previous, OPTIONS, defer(header))).toEqual({ kind: 'success' });
  expect(verifyFollowing(empty, header, OPTIONS, defer(header))).toEqual({ kind: 'success' });
  expect(verifyFollowing(empty, previous, OPTIONS, defer(header))).toEqual({ kind: 'success' });
});

const first = signed(previous, {}, [alice, bob, carol]);
const after = (
  base: ExtendedHeader,
  height: bigint,
  signers: readonly Signer[],
  members: Partial<CometHeader> = {},
): ExtendedHeader => {
  const time = { ...base.header.time, seconds: base.header.time.seconds + height - base.header.height };
  const link = height === base.header.height + 1n ? { lastBlockId: base.commit.blockId } : {};
  return signed(
    { ...base, dah: header.dah },
    { height, time, dataHash: header.header.dataHash, ...link, ...members },
    signers,
  );
};
const linked = after(first, 12n, [alice, bob, carol]);

test.each<[string, ExtendedHeader, string]>([
  ['a set that was not announced', after(first, 12n, [mallory]), 'differ from the announced ones'],
  [
    'another header before it',
    after(first, 12n, [alice, bob, carol], { lastBlockId: header.commit.blockId }),
    'another header before it',
  ],
  ['the roots of another block', { ...linked, dah: empty.dah }, 'roots of another block'],
  ['another chain', after(first, 12n, [alice, bob, carol], { chainId: 'other' }), 'header of another chain'],
  ['the same height', after(first, 11n, [alice, bob, carol]), 'not above the trusted height'],
])('next: refuses %s', (_, forged, problem) => {
  const verdict = verifyFollowing(forged, first, OPTIONS, defer(linked));
  expect(verdict.kind === 'invalid' && verdict.problem).toContain(problem);
});

test('from afar it takes a third of the power that is trusted, and two thirds of its own', () => {
  const now = defer(after(first, 20n, [alice]));
  const verdict = (signers: readonly Signer[]) => verifyFollowing(after(first, 20n, signers), first, OPTIONS, now);
  expect(verifyFollowing(linked, first, OPTIONS, now).kind).toBe('success');
  expect(verdict([alice, bob, mallory]).kind).toBe('success');
  expect(verdict([alice, mallory]).kind).toBe('not-enough-trust');
  expect(verdict([mallory]).kind).toBe('not-enough-trust');
});

test('a header is trusted for its period', () => {
  const late = { ...defer(linked), seconds: first.header.time.seconds + 7n * 24n * 3_600n };
  expect(verifyFollowing(linked, first, OPTIONS, late).kind).toBe('invalid');
});

test('goes by headers in between where the set has changed', () => {
  const sets = [
    [alice, bob, carol],
    [alice, bob, mallory],
    [alice, mallory, createSigner(new Uint8Array(32).fill(1))],
  ];
  const chain = new Map<bigint, ExtendedHeader>();
  let last = first;
  for (let height = 12n; height <= 20n; height++) {
    const [own = [], next = []] = [sets[Number(height - 11n) >> 2], sets[Number(height - 10n) >> 2]];
    last = after(last, height, own, { nextValidatorsHash: validatorSetHash(getValidators(next)) });
    chain.set(height, last);
  }
  const steps = bisectHeaders(first, 20n, OPTIONS, defer(last));
  const wanted: bigint[] = [];
  let step = steps.next();
  while (!step.done) {
    wanted.push(step.value);
    const block = chain.get(step.value);
    if (block === undefined) throw new Error(`no block ${step.value}`);
    step = steps.next(block);
  }
  expect(wanted[0]).toBe(20n);
  expect(wanted.length).toBeGreaterThan(1);
  expect(step.value.at(-1)?.header.height).toBe(20n);
});
