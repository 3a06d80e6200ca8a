// biome-ignore lint/style/noRestrictedImports: the vectors are a file, which nothing but this test reads.
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { equalBytes, fromHex } from '../accounts/ids.ts';
import { createSigner } from '../accounts/keys.ts';
import { merkleRoot } from '../blocks/merkle.ts';
import type { Timestamp } from '../bytes/timestamp.ts';
import { writeTimestamp } from '../bytes/timestamp.ts';
import { Writer } from '../bytes/writer.ts';
import { Rejected } from '../errors.ts';
import { sortValidators } from '../testing.ts';
import { createValidator, voteSignBytes } from './commit.ts';
import { headerHash, validatorSetHash } from './hashes.ts';
import {
  bisect,
  type LightBlock,
  type LightClientEncodings,
  type TrustedHeader,
  verifyLightBlock,
} from './light-client.ts';
import { type CommitSig, NO_BLOCK, type SignedHeader, type Validator } from './types.ts';

// testdata/README.md describes their origin and format.
const vectors: Vectors = JSON.parse(
  brotliDecompressSync(
    readFileSync(new URL('../../testdata/light-client-vectors.json.br', import.meta.url)),
  ).toString(),
);
const ONE_THIRD = { numerator: 1n, denominator: 3n };

test('all of the published vectors are here', () => {
  expect([vectors.single_step.length, vectors.bisection.length]).toEqual([41, 8]);
});

test.each(vectors.single_step)('model-based, one step at a time: $name', ({ initial, input }) => {
  const options = { trustLevel: ONE_THIRD, trustingPeriod: BigInt(initial.trusting_period), clockDrift: 0n };
  const { header } = signedHeader(initial.signed_header);
  let trusted: TrustedHeader = { header, nextValidators: validators(initial.next_validators) };
  const verdicts = input.map(({ block: json, now }) => {
    const block = lightBlock(json);
    const verdict = verifyLightBlock(block, trusted, options, time(now));
    if (verdict.kind === 'success') trusted = block;
    return verdict.kind;
  });
  expect(verdicts).toEqual(input.map(({ verdict }) => verdict.toLowerCase().replaceAll('_', '-')));
});

/** In it, headers do not hash to the values in their commits, in neither encoding; tendermint-rs leaves it out too. */
const BROKEN = 'single_peer/_worst_case';

test.each(vectors.bisection.filter(({ name }) => name !== BROKEN))('bisection: $name', (vector) => {
  const { trust_options: trust, height_to_verify, now, expected_output } = vector;
  const [numerator, denominator] = trust.trust_level.map(BigInt);
  const options = {
    trustLevel: { numerator: numerator ?? 1n, denominator: denominator ?? 1n },
    trustingPeriod: BigInt(trust.period),
    clockDrift: 10_000_000_000n,
    encodings: AMINO,
  };
  const provider = (blocks: readonly JsonBlock[]) =>
    new Map(blocks.map(lightBlock).map((block) => [block.header.height, block]));
  const primary = provider(vector.primary);
  const target = BigInt(height_to_verify);
  const start = primary.get(BigInt(trust.height));
  if (start === undefined) throw new Error('no trusted block in the vector');

  expect(AMINO.headerHash(start.header)).toEqual(fromHex(trust.hash));

  const outcome = run(start, target, primary, options, time(now));
  const found = typeof outcome === 'string' ? undefined : outcome.at(-1);
  // A witness with another header at that height means that one of the providers attacks: no header is trusted.
  const isAgreed = vector.witnesses.every((blocks) => {
    const theirs = provider(blocks).get(target)?.header;
    return (
      found === undefined ||
      theirs === undefined ||
      equalBytes(AMINO.headerHash(theirs), AMINO.headerHash(found.header))
    );
  });
  if (expected_output !== 'error') {
    expect(found).toEqual(primary.get(target));
    expect(isAgreed).toBe(true);
  } else if (typeof outcome === 'string') expect(outcome).toMatch(/too (old|little power)/);
  else expect(isAgreed).toBe(false);
});

const [first] = vectors.bisection.filter(({ name }) => name.endsWith('happy_path'));

test('where all validators change in every block, every header is needed', () => {
  const signers = Array.from({ length: 12 }, (_, index) => createSigner(new Uint8Array(32).fill(index + 1)));
  const sets = signers.map(({ publicKey }) => [createValidator(publicKey, 10n)]);
  const chain = new Map<bigint, LightBlock>();
  for (const [index, { sign }] of signers.slice(0, 11).entries()) {
    const [validators = [], nextValidators = []] = sets.slice(index);
    const height = BigInt(index + 1);
    const header = {
      ...signedHeader(vectors.single_step[0]?.initial.signed_header ?? missing()).header,
      height,
      time: { seconds: 1_000n + height, nanos: 0 },
      validatorsHash: validatorSetHash(validators),
      nextValidatorsHash: validatorSetHash(nextValidators),
    };
    const blockId = { hash: headerHash(header), parts: { total: 1, hash: new Uint8Array(32) } };
    const vote = { height, round: 0, blockId, timestamp: header.time };
    const signature = sign(voteSignBytes(header.chainId, vote));
    const address = validators[0]?.address ?? missing();
    const signatures: CommitSig[] = [{ flag: 'commit', validator: address, timestamp: header.time, signature }];
    chain.set(height, { header, commit: { height, round: 0, blockId, signatures }, validators, nextValidators });
  }
  const options = { trustLevel: ONE_THIRD, trustingPeriod: 10n ** 15n, clockDrift: 0n };
  const outcome = run(chain.get(1n) ?? missing(), 11n, chain, options, { seconds: 2_000n, nanos: 0 });
  expect(typeof outcome === 'string' ? outcome : outcome.map(({ header }) => header.height)).toEqual([
    2n,
    3n,
    4n,
    5n,
    6n,
    7n,
    8n,
    9n,
    10n,
    11n,
  ]);
});

function missing(): never {
  throw new Error('what the test needs is not there');
}

test('a provider that gives another block than it was asked for is refused', () => {
  const [one, two] = (first?.primary ?? []).map(lightBlock);
  if (one === undefined || two === undefined) throw new Error('two blocks are expected');
  const options = { trustLevel: ONE_THIRD, trustingPeriod: 10n ** 15n, clockDrift: 0n, encodings: AMINO };
  const steps = bisect(one, 11n, options, time('2019-11-02T15:30:00Z'));
  expect(steps.next().value).toBe(11n);
  expect(() => steps.next(two)).toThrow(Rejected);
});

test.each<[string, (block: LightBlock) => LightBlock, string]>([
  [
    'another app hash',
    (b) => ({ ...b, header: { ...b.header, appHash: Uint8Array.of(1) } }),
    'commit of another header',
  ],
  ['another height in its commit', (b) => ({ ...b, commit: { ...b.commit, height: 9n } }), 'commit of another height'],
  ['no validators', (b) => ({ ...b, validators: [] }), 'header of another validator set'],
  ['no next validators', (b) => ({ ...b, nextValidators: [] }), 'header of another next set'],
  ['a vote less', (b) => withVotes(b, b.commit.signatures.slice(1)), 'wrong number of votes'],
  [
    'a vote twice',
    (b) =>
      withVotes(
        b,
        b.commit.signatures.map(() => b.commit.signatures[0] ?? { flag: 'absent' }),
      ),
    'two votes',
  ],
  ['votes of another round', (b) => ({ ...b, commit: { ...b.commit, round: 7 } }), 'bad signature'],
  [
    'no votes',
    (b) =>
      withVotes(
        b,
        b.commit.signatures.map(() => ({ flag: 'absent' })),
      ),
    'too little power',
  ],
])('a next header with %s is invalid', (_, change, problem) => {
  const [one, two] = (first?.primary ?? []).map(lightBlock);
  if (one === undefined || two === undefined) throw new Error('two blocks are expected');
  const options = { trustLevel: ONE_THIRD, trustingPeriod: 10n ** 15n, clockDrift: 0n, encodings: AMINO };
  const now = time('2019-11-02T15:30:00Z');
  expect(verifyLightBlock(two, one, options, now)).toEqual({ kind: 'success' });
  expect(verifyLightBlock(change(two), one, options, now)).toMatchObject({
    kind: 'invalid',
    problem: expect.stringContaining(problem),
  });
});

function withVotes(block: LightBlock, signatures: readonly CommitSig[]): LightBlock {
  return { ...block, commit: { ...block.commit, signatures } };
}

function run(...[start, target, provider, options, now]: RunArguments): readonly LightBlock[] | string {
  const steps = bisect(start, target, options, now);
  try {
    for (let step = steps.next(); ; ) {
      if (step.done === true) return step.value;
      const block = provider.get(step.value);
      if (block === undefined) throw new Error(`the vector has no block ${step.value}`);
      step = steps.next(block);
    }
  } catch (error) {
    if (error instanceof Rejected) return error.message;
    throw error;
  }
}

type RunArguments = [TrustedHeader, bigint, ReadonlyMap<bigint, LightBlock>, Parameters<typeof bisect>[2], Timestamp];

/**
 * The bisection vectors are of Tendermint 0.33: its rules, over Amino's encoding of the hashed and signed values. Scalars
 * and bytes stand without a field's tag, keys with a prefix of Amino's, and the hash of the parts before their number.
 */
const AMINO: LightClientEncodings = {
  headerHash(header) {
    const message = (write: (writer: Writer) => void): Uint8Array => {
      const writer = new Writer();
      write(writer);
      return writer.finish();
    };
    // A field without its tag, which is one byte long.
    const bare = (write: (writer: Writer) => void): Uint8Array => message(write).subarray(1);
    const { version, lastBlockId } = header;
    return merkleRoot([
      message((writer) => writer.uint64(1, version.block).uint64(2, version.app)),
      bare((writer) => writer.string(1, header.chainId)),
      bare((writer) => writer.int64(1, header.height)),
      message((writer) => writeTimestamp(writer, header.time)),
      message((writer) => {
        if (lastBlockId.hash.length === 0) return;
        const { total, hash } = lastBlockId.parts;
        writer.bytes(1, lastBlockId.hash).message(2, (parts) => parts.uint32(1, total).bytes(2, hash));
      }),
      ...[
        header.lastCommitHash,
        header.dataHash,
        header.validatorsHash,
        header.nextValidatorsHash,
        header.consensusHash,
        header.appHash,
        header.lastResultsHash,
        header.evidenceHash,
        header.proposerAddress,
      ].map((bytes) => bare((writer) => writer.bytes(1, bytes))),
    ]);
  },
  validatorSetHash(set) {
    const prefix = fromHex('1624de6420');
    return merkleRoot(
      set.map(({ publicKey, power }) =>
        new Writer()
          .bytes(1, Uint8Array.of(...prefix, ...publicKey))
          .int64(2, power)
          .finish(),
      ),
    );
  },
  voteSignBytes(chainId, { height, round, blockId, signatures }, index) {
    const vote = signatures[index];
    if (vote === undefined || vote.flag === 'absent') throw new RangeError(`commit has no vote ${index}`);
    const bytes = new Writer()
      .uint32(1, 2)
      .sfixed64(2, height)
      .sfixed64(3, BigInt(round))
      .message(4, (id) =>
        id
          .bytes(1, blockId.hash)
          .message(2, (parts) => parts.bytes(1, blockId.parts.hash).uint32(2, blockId.parts.total)),
      )
      .message(5, (writer) => writeTimestamp(writer, vote.timestamp))
      .string(6, chainId)
      .finish();
    return Uint8Array.of(bytes.length, ...bytes);
  },
};

interface Vectors {
  readonly single_step: readonly {
    readonly name: string;
    readonly initial: {
      readonly signed_header: JsonHeader;
      readonly next_validators: readonly JsonValidator[];
      readonly trusting_period: string;
    };
    readonly input: readonly { readonly block: JsonBlock; readonly now: string; readonly verdict: string }[];
  }[];
  readonly bisection: readonly {
    readonly name: string;
    readonly trust_options: {
      readonly period: string;
      readonly height: string;
      readonly hash: string;
      readonly trust_level: readonly string[];
    };
    readonly height_to_verify: string;
    readonly now: string;
    readonly expected_output: string;
    readonly primary: readonly JsonBlock[];
    readonly witnesses: readonly (readonly JsonBlock[])[];
  }[];
}
type JsonValidator = readonly [key: string, power: string];
type JsonVote = readonly [flag: number, address: string, time: string, signature: string] | null;
interface JsonBlock {
  readonly signed_header: JsonHeader;
  readonly validators: readonly JsonValidator[];
  readonly next_validators: readonly JsonValidator[];
}
interface JsonHeader {
  readonly header: Readonly<Record<string, string>> & {
    readonly version: { readonly block: string; readonly app: string };
    readonly last_block_id?: { readonly hash: string; readonly part_set_header: { total: number; hash: string } };
  };
  readonly commit: {
    readonly height: string;
    readonly round: number;
    readonly hash: string;
    readonly parts: readonly [number, string];
    readonly signatures: readonly JsonVote[];
  };
}

function lightBlock(json: JsonBlock): LightBlock {
  return {
    ...signedHeader(json.signed_header),
    validators: validators(json.validators),
    nextValidators: validators(json.next_validators),
  };
}

/** The model-based vectors do not keep to the order of a set. */
function validators(json: readonly JsonValidator[]): readonly Validator[] {
  return sortValidators(json.map(([key, power]) => createValidator(base64(key), BigInt(power))));
}

function signedHeader({ header, commit }: JsonHeader): SignedHeader {
  const bytes = (name: string): Uint8Array => fromHex(header[name] ?? '');
  const last = header.last_block_id;
  return {
    header: {
      version: { block: BigInt(header.version.block), app: BigInt(header.version.app) },
      chainId: header.chain_id ?? '',
      height: BigInt(header.height ?? 0),
      time: time(header.time ?? ''),
      lastBlockId: last
        ? { hash: fromHex(last.hash), parts: { ...last.part_set_header, hash: fromHex(last.part_set_header.hash) } }
        : NO_BLOCK,
      lastCommitHash: bytes('last_commit_hash'),
      dataHash: bytes('data_hash'),
      validatorsHash: bytes('validators_hash'),
      nextValidatorsHash: bytes('next_validators_hash'),
      consensusHash: bytes('consensus_hash'),
      appHash: bytes('app_hash'),
      lastResultsHash: bytes('last_results_hash'),
      evidenceHash: bytes('evidence_hash'),
      proposerAddress: bytes('proposer_address'),
    },
    commit: {
      height: BigInt(commit.height),
      round: commit.round,
      blockId: { hash: fromHex(commit.hash), parts: { total: commit.parts[0], hash: fromHex(commit.parts[1]) } },
      signatures: commit.signatures.map(commitSig),
    },
  };
}

function commitSig(vote: JsonVote): CommitSig {
  if (vote === null) return { flag: 'absent' };
  const [flag, address, when, signature] = vote;
  return {
    flag: flag === 2 ? 'commit' : 'nil',
    validator: fromHex(address),
    timestamp: time(when),
    signature: base64(signature),
  };
}

function time(text: string): Timestamp {
  const [whole = '', fraction = ''] = text.replace('Z', '').split('.');
  return { seconds: BigInt(Date.parse(`${whole}Z`) / 1_000), nanos: Number(fraction.padEnd(9, '0')) };
}

function base64(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'base64'));
}
