import { brotliCompressSync, constants } from 'node:zlib';
import { Code, ConnectError } from '@connectrpc/connect';
import { FakeSequencer, testSigner } from '@switchyard/client/testing';
import { DaUnavailable } from '@switchyard/da';
import {
  type CommitLevel,
  encodePostedMetadata,
  encodePostedRollupData,
  headerHash,
  Rejected,
  rollupIdFromName,
  type SignedHeader,
} from '@switchyard/protocol';
import { Notifier } from '@switchyard/service';
import { eventually, manualClock } from '@switchyard/service/testing';
import { describe, expect, test } from 'vitest';
import { FakeLayer, getBlobs, getPosted, type Posted } from '../testing/fake-layer.ts';
import { FakeRollup, ROLLUP } from '../testing/fake-rollup.ts';
import { startConductor } from '../testing/world.ts';

/** 50 MB of zeros. The quality that is best for them takes a second, and the result is not smaller by much. */
const bomb = brotliCompressSync(new Uint8Array(50_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } });

function world(blocks = 3) {
  const sequencer = new FakeSequencer();
  for (let height = 1; height <= blocks; height++) sequencer.produce(ROLLUP, `text ${height}`);
  return { sequencer, rollup: new FakeRollup(), layer: new FakeLayer() };
}

const texts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => [`text ${from + index}`]);

const firm = (rollup: FakeRollup, number: bigint) =>
  eventually(() => rollup.commitments.firm.number >= number || undefined);

const withoutSignatures = ({ header, commit }: SignedHeader): SignedHeader => ({
  header,
  commit: {
    ...commit,
    signatures: commit.signatures.map((each) =>
      each.flag === 'absent' ? each : { ...each, signature: new Uint8Array(64) },
    ),
  },
});

/** Consistent entries of far heights, each with validators that were invented: they cost their poster some 70 bytes each. */
async function getInvented(sequencer: FakeSequencer, count: number): Promise<Uint8Array[]> {
  const [one] = (await getPosted(sequencer, 1n, 1n)).metadata;
  if (one?.signed === undefined) throw new Error('it was made above');
  const { signed } = one;
  return Array.from({ length: count }, (_, index) => {
    const height = 100n + BigInt(index % 19_000);
    const validatorsHash = new Uint8Array(32);
    new DataView(validatorsHash.buffer).setUint32(0, index + 1);
    const header = { ...signed.header, height, validatorsHash };
    const hash = headerHash(header);
    const commit = { ...signed.commit, height, blockId: { ...signed.commit.blockId, hash } };
    return encodePostedMetadata({
      ...{ ...one, header: { ...one.header, height }, hash },
      ...{ signed: { header, commit }, validators: undefined },
    });
  });
}

const first = async (sequencer: FakeSequencer) => {
  const { commit } = await sequencer.commit(1n);
  return { height: 1n, hash: commit.blockId.hash };
};

describe('SoftAndFirm', () => {
  const commitLevel: CommitLevel = 'SoftAndFirm';

  test('blocks are executed as they come, and firm once the layer has them', async () => {
    const { sequencer, rollup, layer } = world();
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer });
    await conductor.reaches(3n);
    expect(rollup.commitments.firm.number).toBe(0n);
    layer.put(await getPosted(sequencer, 1n, 2n));
    await firm(rollup, 2n);
    layer.put({ metadata: [], data: [] });
    layer.put(await getPosted(sequencer, 3n, 3n));
    await firm(rollup, 3n);
    expect(rollup.commitments).toMatchObject({
      firm: { number: 3n },
      soft: { number: 3n },
      lowestCelestiaSearchHeight: 3n,
    });
    expect(rollup.texts.slice(1)).toEqual(texts(1, 3));
    expect(conductor.progress.status()).toMatchObject({ firm: 3n, layerHead: 3n, layerRead: 3n, firmLayerHeight: 3n });
  });

  test('a quiet layer whose node can wait is not asked again, and its next height is read at once', async () => {
    const { sequencer, rollup, layer } = world();
    const [clock, made] = [manualClock(), new Notifier()];
    const waited: bigint[] = [];
    const waiting = Object.assign(layer, {
      async waitFor(height: bigint, signal: AbortSignal) {
        waited.push(height);
        while (layer.height < height) await made.wait(signal);
      },
    });
    layer.put(await getPosted(sequencer, 1n, 1n));
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer: waiting, clock });
    await eventually(() =>
      clock.advance(100).then(() => rollup.commitments.firm.number === 1n && rollup.commitments.soft.number === 3n),
    );
    for (let seconds = 0; seconds < 60; seconds += 1) await clock.advance(1_000);
    expect(waited).toEqual([2n]);
    layer.put(await getPosted(sequencer, 2n, 3n));
    made.notify();
    await firm(rollup, 3n);
    expect(conductor.messages()).not.toContain('waiting for the data-availability layer');
  });

  test('an empty block needs no data; one that lists the rollup waits for its data, in whichever height it comes', async () => {
    const { sequencer, rollup, layer } = world(1);
    sequencer.produce(ROLLUP);
    sequencer.produceBlock(new Map([[rollupIdFromName('other'), [Uint8Array.of(1)]]]));
    sequencer.produce(ROLLUP, 'text 4');
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer });
    await conductor.reaches(4n);
    const { metadata, data } = await getPosted(sequencer, 1n, 4n);
    layer.put({ metadata, data: data.slice(0, 1) });
    await firm(rollup, 3n);
    layer.put({ metadata: [], data: [] });
    await eventually(() => layer.reads.includes(2n) || undefined);
    expect(rollup.commitments.firm.number).toBe(3n);
    layer.put({ metadata: [], data: data.slice(1) });
    await firm(rollup, 4n);
    // Data may also come before its header.
    sequencer.produce(ROLLUP, 'text 5');
    const fifth = await getPosted(sequencer, 5n, 5n);
    layer.put({ metadata: [], data: fifth.data });
    layer.put({ metadata: fifth.metadata, data: [] });
    await firm(rollup, 5n);
  });

  test('blobs that are none of ours, forged or bombs are passed over', async () => {
    const { sequencer, rollup, layer } = world();
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer });
    await conductor.reaches(3n);
    const { metadata, data } = await getPosted(sequencer, 1n, 3n);
    const [one] = metadata;
    const [own] = data;
    if (one === undefined || own === undefined) throw new Error('they were made above');
    const whole = brotliCompressSync(encodePostedMetadata(one));
    layer.putBlobs(
      [
        ...[Uint8Array.of(1, 2, 3), bomb, whole.subarray(0, whole.length - 3), new Uint8Array(100_000)].map(
          (bytes) => ({ data: bytes }),
        ),
        // A genuine hash on other contents, and contents of another chain.
        ...getBlobs([encodePostedMetadata({ ...one, header: { ...one.header, dataHash: new Uint8Array(32) } })]),
        ...getBlobs([encodePostedMetadata({ ...one, hash: new Uint8Array(32) })]),
        ...getBlobs([encodePostedMetadata({ ...one, header: { ...one.header, chainId: 'another' } })]),
      ],
      [
        { data: bomb },
        ...getBlobs([encodePostedRollupData({ ...own, transactions: [Uint8Array.of(7)] })]),
        ...getBlobs([encodePostedRollupData({ ...own, rollup: rollupIdFromName('another') })]),
      ],
    );
    await eventually(() => layer.reads.includes(1n) || undefined);
    expect(rollup.commitments.firm.number).toBe(0n);
    layer.put({ metadata, data });
    await firm(rollup, 3n);
    expect(rollup.texts.slice(1)).toEqual(texts(1, 3));
  });

  test('forged blocks of a height that hide the genuine one only delay it', async () => {
    const { sequencer, rollup, layer } = world(2);
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer });
    await conductor.reaches(2n);
    const forgers = Array.from(
      { length: 40 },
      (_, index) => new FakeSequencer('test-chain', [testSigner(100 + index)]),
    );
    const forged = await Promise.all(
      forgers.map((forger, index) => {
        forger.produce(ROLLUP, `forged ${index}`);
        return getPosted(forger, 1n, 1n);
      }),
    );
    const all = (item: (posted: Posted) => readonly Posted['metadata'][number][]) => forged.flatMap(item);
    layer.put({ metadata: all(({ metadata }) => metadata), data: forged.flatMap(({ data }) => data) });
    layer.put(await getPosted(sequencer, 1n, 2n));
    await firm(rollup, 2n);
    expect(rollup.texts.slice(1)).toEqual(texts(1, 2));
  });

  test('soft blocks wait while the layer is too far past the last posted block, and continue when one comes', async () => {
    const { sequencer, rollup, layer } = world(2);
    rollup.parameters = { ...rollup.parameters, celestiaSearchHeightMaxLookAhead: 3n };
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer });
    layer.put(await getPosted(sequencer, 1n, 2n));
    await firm(rollup, 2n);
    for (let height = 0; height < 3; height += 1) layer.put({ metadata: [], data: [] });
    await eventually(() => layer.reads.includes(4n) || undefined);
    sequencer.produce(ROLLUP, 'text 3');
    await conductor.reaches(3n);
    layer.put({ metadata: [], data: [] });
    await eventually(() => conductor.progress.layerPosition.read === 5n || undefined);
    sequencer.produce(ROLLUP, 'text 4');
    await eventually(() => conductor.progress.softWaits);
    expect(conductor.progress.status()).toMatchObject({
      softWaits: expect.stringContaining('since its height 1, it is at 5'),
      soft: 3n,
    });
    layer.put(await getPosted(sequencer, 3n, 3n));
    await conductor.reaches(4n);
    expect(conductor.progress.softWaits).toBeUndefined();
    const waits = conductor.messages().filter((message) => /^soft blocks/.test(String(message)));
    expect(waits).toEqual(['soft blocks wait for firm ones', 'soft blocks continue']);
  });

  test('a setting of the conductor takes the place of what the genesis states', async () => {
    const { sequencer, rollup, layer } = world(1);
    rollup.parameters = { ...rollup.parameters, celestiaSearchHeightMaxLookAhead: 1n };
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer, lookAhead: 0n });
    for (let height = 0; height < 9; height += 1) layer.put({ metadata: [], data: [] });
    await eventually(() => layer.reads.includes(9n) || undefined);
    sequencer.produce(ROLLUP, 'text 2');
    await conductor.reaches(2n);
  });

  test('with authors given, blobs of all others are not even opened', async () => {
    const { sequencer, rollup, layer } = world(1);
    const author = new Uint8Array(20).fill(7);
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer, authors: [author] });
    await conductor.reaches(1n);
    const posted = await getPosted(sequencer, 1n, 1n);
    layer.put(posted);
    layer.put(posted, new Uint8Array(20).fill(8));
    await eventually(() => layer.reads.includes(2n) || undefined);
    expect(rollup.commitments.firm.number).toBe(0n);
    layer.put(posted, author);
    await firm(rollup, 1n);
  });

  test('what a relayer of the reference posts is proven with what the sequencer has', async () => {
    const { sequencer, rollup, layer } = world();
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer });
    await conductor.reaches(3n);
    const { metadata, data } = await getPosted(sequencer, 1n, 3n);
    layer.put({ metadata: metadata.map((each) => ({ ...each, signed: undefined, validators: undefined })), data });
    await firm(rollup, 3n);
  });

  test('entries without a header, of blocks that the sequencer does not have, hold nothing back', async () => {
    const { sequencer, rollup, layer } = world();
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer });
    await conductor.reaches(3n);
    const { metadata, data } = await getPosted(sequencer, 1n, 3n);
    const [one] = metadata;
    if (one === undefined) throw new Error('it was made above');
    const at = (height: bigint) => ({ ...one, header: { ...one.header, height }, signed: undefined });
    layer.put({ metadata: [at(4n), at(9n), at(900n), at(9_000n)], data: [] });
    layer.put({ metadata, data });
    await firm(rollup, 3n);
    sequencer.away = true;
    sequencer.stir();
    const node = world(5).sequencer;
    layer.put({ metadata: [at(4n), at(5n)], data: [] });
    layer.put(await getPosted(node, 4n, 5n));
    await firm(rollup, 5n);
  });

  test('a layer that is away, withholds, or gives what cannot be right is asked again', async () => {
    const { sequencer, rollup, layer } = world();
    layer.isAway = true;
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer });
    await conductor.reaches(3n);
    layer.put(await getPosted(sequencer, 1n, 3n));
    layer.failures.push(new DaUnavailable('withheld'), new Rejected('malformed', { problem: 'forged' }));
    layer.isAway = false;
    await firm(rollup, 3n);
    expect(conductor.messages()).toContain('waiting for the data-availability layer');
  });

  test('what the layer has first is executed from there, while the sequencer is away', async () => {
    const { sequencer, rollup, layer } = world();
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer });
    await conductor.reaches(3n);
    layer.put(await getPosted(sequencer, 1n, 3n));
    await firm(rollup, 3n);
    sequencer.away = true;
    sequencer.stir();
    // Another node with the same chain.
    const node = world(5).sequencer;
    layer.put(await getPosted(node, 4n, 5n));
    await firm(rollup, 5n);
    expect(rollup.commitments.soft.number).toBe(5n);
    expect(rollup.texts.slice(1)).toEqual(texts(1, 5));
  });

  test('another block of the same height, signed too, ends it before anything is committed', async () => {
    const { sequencer, rollup, layer } = world(2);
    const twin = new FakeSequencer();
    for (const text of ['text 1', 'other 2']) twin.produce(ROLLUP, text);
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer });
    await conductor.reaches(2n);
    layer.put(await getPosted(twin, 1n, 2n));
    expect(String(await conductor.ended)).toMatch(/FirmMismatch: block \d of the rollup was made from sequencer block/);
    expect(rollup.commitments.firm.number).toBeLessThan(2n);
  });

  test('after a restart it begins where the firm block was found', async () => {
    const { sequencer, rollup, layer } = world(4);
    for (let height = 1n; height <= 4n; height += 1n) layer.put(await getPosted(sequencer, height, height));
    {
      await using _ = startConductor(sequencer, rollup, { commitLevel, layer });
      await firm(rollup, 4n);
    }
    rollup.forgetSession();
    layer.reads.length = 0;
    sequencer.produce(ROLLUP, 'text 5');
    layer.put(await getPosted(sequencer, 5n, 5n));
    await using _ = startConductor(sequencer, rollup, { commitLevel, layer });
    await firm(rollup, 5n);
    expect(layer.reads[0]).toBe(4n);
  });
});

describe('33,000 invented blocks of far heights, posted by one account', () => {
  const stranger = new Uint8Array(20).fill(7);
  const invented = (async () => {
    const entries = await getInvented(world().sequencer, 33_000);
    // The default quality takes half a minute for these, and makes them smaller by a fifth.
    const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
    return Array.from({ length: 66 }, (_, at) => {
      const data = brotliCompressSync(Buffer.concat(entries.slice(at * 500, at * 500 + 500)), { params });
      return { data, author: stranger };
    });
  })();

  // Defect: 33,000 consistent entries for far heights kept firm blocks at one in 30 s
  test.each<CommitLevel>(['SoftAndFirm', 'FirmOnly'])(
    'do not keep genuine blocks from being firm, and name the account: %s',
    async (commitLevel) => {
      const { sequencer, rollup, layer } = world(5);
      sequencer.changeValidators([testSigner(1), testSigner(2)]);
      for (let height = 6; height <= 12; height++) sequencer.produce(ROLLUP, `text ${height}`);
      for (const blob of await invented) layer.putBlobs([blob], []);
      layer.put(await getPosted(sequencer, 1n, 4n));
      // The validators change within this one, so that nothing proves the rest of it at first.
      layer.put(await getPosted(sequencer, 5n, 10n));
      for (const height of [11n, 12n]) layer.put(await getPosted(sequencer, height, height));
      const checkpoint = await first(sequencer);
      await using conductor = startConductor(sequencer, rollup, { commitLevel, layer, checkpoint });
      await firm(rollup, 12n);
      expect(rollup.texts.slice(1)).toEqual(texts(1, 12));
      // Two are read once more: when the first block announces its validators, and when others are announced.
      expect(layer.reads.length).toBeLessThanOrEqual(Number(layer.height) + 2);
      const note = expect.stringMatching(/^celestia1\w+ /);
      expect(conductor.progress.status()).toMatchObject({ unprovenBlobs: note });
      expect(conductor.messages()).toContain('blobs that nothing proves are left out');
    },
    60_000,
  );
});

describe('FirmOnly', () => {
  const commitLevel: CommitLevel = 'FirmOnly';

  test('executes what the layer has and nothing else, without ever asking the sequencer', async () => {
    const { sequencer, rollup, layer } = world(6);
    sequencer.changeValidators([testSigner(1), testSigner(2)]);
    for (let height = 7; height <= 9; height++) sequencer.produce(ROLLUP, `text ${height}`);
    layer.put(await getPosted(sequencer, 1n, 8n));
    const checkpoint = await first(sequencer);
    sequencer.asked.length = 0;
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer, checkpoint });
    await firm(rollup, 8n);
    expect(rollup.commitments).toMatchObject({ soft: { number: 8n }, firm: { number: 8n } });
    expect(rollup.texts.slice(1)).toEqual(texts(1, 8));
    expect(sequencer.asked).toEqual([]);
    expect(conductor.messages()).not.toContain('waiting for the sequencer');
  });

  test('states that nothing newer has been posted, once, until something is', async () => {
    const { sequencer, rollup, layer } = world(4);
    layer.put(await getPosted(sequencer, 1n, 3n));
    const checkpoint = await first(sequencer);
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer, checkpoint });
    const status = () => conductor.progress.status() as { readonly nothingNewer?: string };
    const nothingNewer = await eventually(() => status().nothingNewer);
    expect(nothingNewer).toMatch(/^nothing newer than sequencer block 3 of \S+Z \(layer height 1\) has been posted$/);
    const text = 'the layer is read to its end, and nothing newer has been posted';
    expect(conductor.messages().filter((message) => message === text)).toHaveLength(1);
    layer.put(await getPosted(sequencer, 4n, 4n));
    await firm(rollup, 4n);
    // The layer is read to its end again.
    await eventually(() => conductor.messages().filter((message) => message === text).length === 2 || undefined);
  });

  test('states its level, and ends with one line where the rollup refuses it', async () => {
    const { sequencer, rollup, layer } = world();
    rollup.failures.push(new ConnectError('firm blocks of this rollup are signed', Code.FailedPrecondition));
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer });
    expect(String(await conductor.ended)).toBe(
      'Error: the rollup refuses the session: firm blocks of this rollup are signed',
    );
    expect(rollup.levels).toEqual([4]);
  });

  test('genuine blocks with forged signatures, which come first, do not keep the genuine ones out', async () => {
    const { sequencer, rollup, layer } = world(5);
    const checkpoint = await first(sequencer);
    const { metadata, data } = await getPosted(sequencer, 1n, 5n);
    const forged = metadata.map((each) => ({ ...each, signed: each.signed && withoutSignatures(each.signed) }));
    layer.put({ metadata: forged, data });
    await using _ = startConductor(sequencer, rollup, { commitLevel, layer, checkpoint });
    await eventually(() => layer.reads.includes(1n) || undefined);
    layer.put({ metadata, data });
    await firm(rollup, 5n);
    expect(rollup.texts.slice(1)).toEqual(texts(1, 5));
  });

  test('needs a block that is known to be right', async () => {
    const { sequencer, rollup, layer } = world();
    layer.put(await getPosted(sequencer, 1n, 3n));
    await using conductor = startConductor(sequencer, rollup, { commitLevel, layer });
    expect(String(await conductor.ended)).toMatch(/set SVC_CONDUCTOR_TRUSTED_HEIGHT and _HASH/);
    expect(rollup.commitments.soft.number).toBe(0n);
  });

  test('continues from its own block after a restart, with nothing but the layer', async () => {
    const { sequencer, rollup, layer } = world(4);
    layer.put(await getPosted(sequencer, 1n, 3n));
    {
      const checkpoint = await first(sequencer);
      await using _ = startConductor(sequencer, rollup, { commitLevel, layer, checkpoint });
      await firm(rollup, 3n);
    }
    rollup.forgetSession();
    layer.put(await getPosted(sequencer, 4n, 4n));
    await using _ = startConductor(sequencer, rollup, { commitLevel, layer });
    await firm(rollup, 4n);
    expect(rollup.texts.slice(1)).toEqual(texts(1, 4));
  });

  test('continues in the middle of a blob, whose validators stand before its own block', async () => {
    const { sequencer, rollup, layer } = world(6);
    const checkpoint = await first(sequencer);
    const posted = await getPosted(sequencer, 1n, 6n);
    layer.put({ metadata: posted.metadata.slice(0, 3), data: posted.data.slice(0, 3) });
    {
      await using _ = startConductor(sequencer, rollup, { commitLevel, layer, checkpoint });
      await firm(rollup, 3n);
    }
    rollup.forgetSession();
    const again = new FakeLayer();
    again.put(posted);
    await using _ = startConductor(sequencer, rollup, { commitLevel, layer: again });
    await firm(rollup, 6n);
    expect(rollup.texts.slice(1)).toEqual(texts(1, 6));
  });

  test('what a third of the validators has not signed is not executed', async () => {
    const { sequencer, rollup, layer } = world(1);
    const forger = new FakeSequencer('test-chain', [testSigner(9)]);
    forger.produce(ROLLUP, 'forged');
    layer.put(await getPosted(forger, 1n, 1n));
    const checkpoint = await first(sequencer);
    await using _ = startConductor(sequencer, rollup, { commitLevel, layer, checkpoint });
    await eventually(() => layer.reads.includes(1n) || undefined);
    layer.put(await getPosted(sequencer, 1n, 1n));
    await firm(rollup, 1n);
    expect(rollup.texts.slice(1)).toEqual(texts(1, 1));
  });
});
