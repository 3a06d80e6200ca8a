/** Suite of the properties that relayer and conductor rely on, run against the local layer and against Celestia. */
import { readFileSync } from 'node:fs';
import { Rejected } from '@switchyard/protocol';
import {
  type CelestiaSigner,
  celestiaAccountBytes,
  decodeBlobTx,
  decodePayment,
  encodeBlobTx,
  type Namespace,
  namespaceFromId,
  payForBlobs,
  payForBlobsGas,
  signPayment,
  type TrustRoot,
} from '@switchyard/protocol/celestia';
import { grpcTransport, silentLogger } from '@switchyard/service';
import { eventually } from '@switchyard/service/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consensusNode } from './celestia/consensus-node.ts';
import { lightNode } from './celestia/light-node.ts';
import { type CelestiaReaderOptions, createCelestiaReader } from './celestia/reader.ts';
import { type CelestiaWriterOptions, createCelestiaWriter } from './celestia/writer.ts';
import { type Change, type ChangingProxy, changingProxy } from './changing-proxy.testing.ts';
import { type BlobsOutcome, DaTooExpensive, DaUnavailable, type DaWriter, type PreparedBlobs } from './layer.ts';

/** A network under test, that no one else uses. */
export interface DaNetwork {
  readonly lightNodeUrl: string;
  /** File with a read token; undefined if the light node requires none. */
  readonly tokenFile: string | undefined;
  /** gRPC. */
  readonly consensusNodeUrl: string;
  /** At least two, with funds. */
  readonly signers: readonly CelestiaSigner[];
  close(): Promise<void>;
}

const signal = new AbortController().signal;
const MAX_PRICE = 10n ** 18n;
/** A price that is below any minimum. */
const ALMOST_NOTHING = 1n;
const WAIT_MS = 120_000;

export function daSuite(name: string, start: () => Promise<DaNetwork>): void {
  describe(name, () => {
    let network: DaNetwork;
    let proxy: ChangingProxy;
    let root: TrustRoot;
    const transports: { close(): void }[] = [];
    let lastNamespace = 0;

    beforeAll(async () => {
      network = await start();
      const token = network.tokenFile && readFileSync(network.tokenFile, 'utf8').trim();
      proxy = await changingProxy(network.lightNodeUrl, token && `Bearer ${token}`);
      const first = await lightNode({ url: proxy.url }).header(1n, signal);
      root = { chainId: first.header.chainId, height: 1n, hash: first.commit.blockId.hash };
    }, 4 * 60_000);

    afterAll(async () => {
      for (const transport of transports) transport.close();
      await proxy?.close();
      await network?.close();
    }, 60_000);

    const reader = (options: Partial<CelestiaReaderOptions> = {}) =>
      createCelestiaReader({ url: proxy.url, root, ...options }, { log: silentLogger });
    const transportTo = (url: string) => {
      const transport = grpcTransport(url);
      transports.push(transport);
      return transport;
    };
    const signerAt = (index: number): CelestiaSigner => {
      const signer = network.signers[index];
      if (signer === undefined) throw new Error(`no signer ${index}`);
      return signer;
    };
    const writer = (
      options: Partial<CelestiaWriterOptions> = {},
      url = network.consensusNodeUrl,
      others: readonly string[] = [],
    ): DaWriter =>
      createCelestiaWriter(
        { url, signer: signerAt(0), maxGasPrice: MAX_PRICE, ...options },
        { transport: transportTo(url), others: others.map((each) => ({ url: each, transport: transportTo(each) })) },
      );
    /** A namespace that no other test uses; they rise. */
    const freshNamespace = (): Namespace => {
      lastNamespace += 16;
      const id = new Uint8Array(10).fill(0x11);
      new DataView(id.buffer).setUint32(6, lastNamespace);
      return namespaceFromId(id);
    };
    const near = (namespace: Namespace, offset: number): Namespace => {
      const id = Buffer.from(namespace, 'hex').subarray(19);
      id.writeUInt32BE(id.readUInt32BE(6) + offset, 6);
      return namespaceFromId(new Uint8Array(id));
    };
    const decided = (by: DaWriter, prepared: PreparedBlobs): Promise<BlobsOutcome> =>
      eventually(async () => {
        const outcome = await by.outcome(prepared, signal);
        return outcome.kind === 'pending' ? undefined : outcome;
      }, WAIT_MS);
    const included = async (by: DaWriter, prepared: PreparedBlobs): Promise<bigint> => {
      const outcome = await decided(by, prepared);
      if (outcome.kind !== 'included') throw new Error(`expected included, got ${JSON.stringify(outcome)}`);
      return outcome.height;
    };
    const post = async (
      by: DaWriter,
      blobs: readonly { namespace: Namespace; data: Uint8Array }[],
    ): Promise<bigint> => {
      const prepared = await by.prepare(blobs, signal);
      await by.submit(prepared, signal);
      return included(by, prepared);
    };
    /** The light node may be a little behind the consensus node. */
    const read = (from: ReturnType<typeof reader>, height: bigint, ...namespaces: Namespace[]) =>
      eventually(async () => {
        try {
          return await from.read(height, namespaces, signal);
        } catch (error) {
          if (error instanceof DaUnavailable) return undefined;
          return { failed: error };
        }
      }, WAIT_MS).then((found) => {
        if ('failed' in found) throw found.failed;
        return found;
      });
    const bytes = (length: number, seed: number) =>
      Uint8Array.from({ length }, (_, index) => (index * seed + seed) & 255);

    test(
      'what was posted is read back, with its author, in its order',
      async () => {
        const [one, other] = [freshNamespace(), freshNamespace()];
        const by = writer();
        const before = await by.balance(signal);
        const data = [bytes(1, 3), bytes(5_000, 5), bytes(700, 7)] as const;
        const prepared = await by.prepare(
          [
            { namespace: other, data: data[0] },
            { namespace: one, data: data[1] },
            { namespace: one, data: data[2] },
          ],
          signal,
        );
        await by.submit(prepared, signal);
        const height = await included(by, prepared);
        expect(height <= prepared.lastHeight).toBe(true);
        const found = await read(reader(), height, one, other);
        const author = celestiaAccountBytes(signerAt(0).account);
        expect(found.blobs).toEqual([
          [
            { data: data[1], author },
            { data: data[2], author },
          ],
          [{ data: data[0], author }],
        ]);
        expect(found.height).toBe(height);
        expect(await by.balance(signal)).toBe(before - prepared.fee);
        expect(await reader().chainId(signal)).toBe(await by.chainId(signal));
      },
      WAIT_MS,
    );

    test(
      'blobs of one namespace stand in their order across rows',
      async () => {
        const namespace = freshNamespace();
        const data = [30_000, 1, 60_000, 481].map((length, index) => bytes(length, 2 * index + 1));
        const height = await post(
          writer(),
          data.map((each) => ({ namespace, data: each })),
        );
        const { blobs } = await read(reader(), height, namespace);
        expect(blobs[0]?.map((blob) => Buffer.from(blob.data).equals(Buffer.from(data[0] ?? [])))).toHaveLength(4);
        expect(blobs[0]?.map((blob) => blob.data)).toEqual(data);
      },
      WAIT_MS,
    );

    test(
      'several transactions follow each other without waiting',
      async () => {
        const namespace = freshNamespace();
        const by = writer();
        const prepared = [
          await by.prepare([{ namespace, data: bytes(10, 3) }], signal),
          await by.prepare([{ namespace, data: bytes(10, 5) }], signal),
          await by.prepare([{ namespace, data: bytes(10, 7) }], signal),
        ];
        for (const each of prepared) await by.submit(each, signal);
        const heights = [];
        for (const each of prepared) heights.push(await included(by, each));
        expect(heights).toEqual([...heights].sort((a, b) => Number(a - b)));
      },
      WAIT_MS,
    );

    test(
      'transactions behind an unsent one wait for it, also if a node fails and the next is asked',
      async () => {
        const namespace = freshNamespace();
        const away = await changingProxy(network.lightNodeUrl);
        await away.close();
        const by = writer({}, away.url, [network.consensusNodeUrl]);
        await expect(by.chainId(signal)).rejects.toBeInstanceOf(DaUnavailable);
        const held = await by.prepare([{ namespace, data: bytes(10, 5) }], signal);
        const behind = [
          await by.prepare([{ namespace, data: bytes(10, 7) }], signal),
          await by.prepare([{ namespace, data: bytes(10, 9) }], signal),
        ];
        for (const each of behind) await by.submit(each, signal);
        const node = consensusNode(transportTo(network.consensusNodeUrl), network.consensusNodeUrl);
        const head = await node.height(signal);
        await eventually(async () => (await node.height(signal)) > head + 1n || undefined, WAIT_MS);
        for (const each of behind) expect(await by.outcome(each, signal)).toEqual({ kind: 'pending' });
        for (const each of [held, ...behind]) await by.submit(each, signal);
        const heights = [];
        for (const each of [held, ...behind]) heights.push(await included(by, each));
        expect(heights).toEqual([...heights].sort((a, b) => Number(a - b)));
        const blobs = [];
        for (const height of new Set(heights))
          blobs.push(...((await read(reader(), height, namespace)).blobs[0] ?? []));
        expect(blobs.map(({ data }) => data)).toEqual([5, 7, 9].map((seed) => bytes(10, seed)));
        expect(by.getBlobs(held)).toMatchObject([{ namespace, data: bytes(10, 5) }]);
      },
      WAIT_MS,
    );

    test(
      'proves that a namespace has nothing: between others, beyond them, below them, and in an empty block',
      async () => {
        const namespace = freshNamespace();
        const by = writer();
        const height = await post(by, [
          { namespace, data: bytes(2_000, 3) },
          { namespace: near(namespace, 2), data: bytes(2_000, 5) },
        ]);
        const [below, above] = [
          namespaceFromId(new Uint8Array(10).fill(1)),
          namespaceFromId(new Uint8Array(10).fill(255)),
        ];
        const from = reader();
        const found = await read(from, height, near(namespace, 1), below, above, namespace);
        expect(found.blobs.map((blobs) => blobs.length)).toEqual([0, 0, 0, 1]);
        const before = await from.head(signal);
        await eventually(async () => (await from.head(signal)) > before + 1n, WAIT_MS);
        const empty = await read(from, before + 1n, namespace);
        expect(empty.blobs).toEqual([[]]);
      },
      WAIT_MS,
    );

    test(
      'a stranger may post to a namespace, and is known as the author',
      async () => {
        const namespace = freshNamespace();
        const height = await post(writer({ signer: signerAt(1) }), [{ namespace, data: bytes(10, 3) }]);
        const { blobs } = await read(reader(), height, namespace);
        expect(blobs).toEqual([[{ data: bytes(10, 3), author: celestiaAccountBytes(signerAt(1).account) }]]);
      },
      WAIT_MS,
    );

    describe('refuses what a node changes', () => {
      let height: bigint;
      let namespace: Namespace;
      beforeAll(async () => {
        namespace = freshNamespace();
        height = await post(writer(), [{ namespace, data: bytes(30_000, 3) }]);
        await read(reader(), height, namespace);
      }, WAIT_MS);

      /** Changes one digit in the middle of base64 or hex. */
      const flipped = (text: string): string => {
        const at = text.length >> 1;
        return `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`;
      };
      // biome-ignore lint/suspicious/noExplicitAny: the form of answers is known here
      type Alter = (result: any) => unknown;
      const altered = <T>(result: T, alter: Alter): T => {
        alter(result);
        return result;
      };
      const data =
        (alter: Alter): Change =>
        (method, result) =>
          method === 'share.GetNamespaceData' ? altered(result, alter) : result;
      const header =
        (alter: Alter): Change =>
        (method, result) =>
          method === 'header.GetByHeight' && result.header.height !== '1' ? altered(result, alter) : result;
      const cases: readonly (readonly [string, Change])[] = [
        ['a share', data((rows) => (rows[0].shares[0] = flipped(rows[0].shares[0])))],
        ['the order of shares', data((rows) => rows[0].shares.reverse())],
        ['a sibling', data(([row]) => (row.proof.nodes[0] = flipped(row.proof.nodes[0])))],
        ['the place of shares', data(([row]) => (row.proof.start += 1))],
        ['by one row less', data((rows) => rows.pop())],
        ['by one share less', data((rows) => rows[0].shares.pop())],
        ['by one row more', data((rows) => rows.push(rows[0]))],
        ['to nothing', (method, result) => (method === 'share.GetNamespaceData' ? [] : result)],
        ['to null', (method, result) => (method === 'share.GetNamespaceData' ? null : result)],
        ['to another form', (method, result) => (method === 'share.GetNamespaceData' ? { shares: 1 } : result)],
        ['the time of the header', header(({ header: each }) => (each.time = '2020-01-01T00:00:00Z'))],
        ['the data hash', header(({ header: each }) => (each.data_hash = flipped(each.data_hash)))],
        ['a root', header(({ dah }) => (dah.row_roots[0] = flipped(dah.row_roots[0])))],
        ['the roots to fewer', header(({ dah }) => [dah.row_roots.pop(), dah.column_roots.pop()])],
        [
          'a signature',
          header(({ commit: { signatures } }) => (signatures[0].signature = flipped(signatures[0].signature))),
        ],
        ['the power of a validator', header(({ validator_set: { validators } }) => (validators[0].voting_power = '9'))],
        ['the chain', header(({ header: each }) => (each.chain_id = 'another'))],
      ];

      test.each(cases)('%s', async (_, change) => {
        proxy.change(change);
        try {
          await expect(reader().read(height, [namespace], signal)).rejects.toBeInstanceOf(Rejected);
        } finally {
          proxy.change(undefined);
        }
      });

      test('the header to that of another height', async () => {
        const other = await lightNode({ url: proxy.url }).header(height, signal);
        expect(other.header.height).toBe(height);
        const genuine: unknown[] = [];
        proxy.change((method, result) => {
          if (method === 'header.GetByHeight') genuine.push(result);
          return method === 'header.GetByHeight' && genuine.length > 1 ? genuine[0] : result;
        });
        try {
          await expect(reader().read(height, [namespace], signal)).rejects.toBeInstanceOf(Rejected);
        } finally {
          proxy.change(undefined);
        }
      });

      test('nothing, when it changes nothing', async () => {
        expect((await reader().read(height, [namespace], signal)).blobs[0]).toHaveLength(1);
      });
    });

    test('asks the node with the token of a file, where it wants one', async () => {
      const { lightNodeUrl: url, tokenFile } = network;
      const token = tokenFile === undefined ? undefined : { file: tokenFile, setting: 'TOKEN_FILE' };
      expect((await reader({ url, token }).read(1n, [freshNamespace()], signal)).blobs).toEqual([[]]);
      if (tokenFile === undefined) return;
      const refused = await reader({ url })
        .head(signal)
        .catch((error: unknown) => error);
      expect(String(refused)).toContain('wants a token');
    });

    test('another header than the trusted one is not where trust begins', async () => {
      const other = { ...root, hash: new Uint8Array(32).fill(1) };
      await expect(reader({ root: other }).read(2n, [freshNamespace()], signal)).rejects.toBeInstanceOf(Rejected);
    });

    test(
      'reads what is below the trusted header, by hashes alone',
      async () => {
        const head = await eventually(async () => {
          const height = await reader().head(signal);
          return height > 5n ? height : undefined;
        }, WAIT_MS);
        const { hash } = await read(reader(), head - 1n, freshNamespace());
        const from = reader({ root: { ...root, height: head - 1n, hash } });
        const known = await read(reader(), head - 4n, freshNamespace());
        expect((await from.read(head - 4n, [freshNamespace()], signal)).hash).toEqual(known.hash);
        expect((await from.read(head - 3n, [freshNamespace()], signal)).height).toBe(head - 3n);
      },
      WAIT_MS,
    );

    test(
      'the same bytes take effect once, however often they are sent',
      async () => {
        const namespace = freshNamespace();
        const by = writer();
        const prepared = await by.prepare([{ namespace, data: bytes(10, 3) }], signal);
        await by.submit(prepared, signal);
        await by.submit(prepared, signal);
        const height = await included(by, prepared);
        await by.submit(prepared, signal);
        expect(await by.outcome(prepared, signal)).toEqual({ kind: 'included', height });
        // Another process, which has only the stored rows.
        const later = writer();
        await later.submit(prepared, signal);
        expect(await later.outcome(prepared, signal)).toEqual({ kind: 'included', height });
        expect((await read(reader(), height, namespace)).blobs[0]).toHaveLength(1);
      },
      WAIT_MS,
    );

    test(
      'of two writers with one key one is included, and the other is refused as a fact',
      async () => {
        const namespace = freshNamespace();
        const [first, second] = [writer(), writer()];
        const one = await first.prepare([{ namespace, data: bytes(10, 3) }], signal);
        const two = await second.prepare([{ namespace, data: bytes(10, 5) }], signal);
        await first.submit(one, signal);
        await second.submit(two, signal);
        const height = await included(first, one);
        expect(await decided(second, two)).toMatchObject({
          kind: 'refused',
          reason: expect.stringContaining('sequence'),
        });
        expect((await read(reader(), height, namespace)).blobs[0]).toHaveLength(1);
        expect(await post(second, [{ namespace, data: bytes(10, 5) }])).toBeGreaterThan(height);
      },
      WAIT_MS,
    );

    // Defect: Relayer with a new key blocked by transactions of the former key
    test(
      'a run with another key brings what the one before has signed to its end, and numbers its own apart',
      async () => {
        const namespace = freshNamespace();
        const [earlier, later] = [writer(), writer({ signer: signerAt(1) })];
        const prepared = await earlier.prepare([{ namespace, data: bytes(10, 3) }], signal);
        await later.submit(prepared, signal);
        const own = await later.prepare([{ namespace, data: bytes(10, 5) }], signal);
        await later.submit(own, signal);
        const authors = [];
        for (const height of new Set([await included(later, prepared), await included(later, own)])) {
          authors.push(...((await read(reader(), height, namespace)).blobs[0] ?? []).map(({ author }) => author));
        }
        expect(authors).toEqual([signerAt(0), signerAt(1)].map(({ account }) => celestiaAccountBytes(account)));
      },
      WAIT_MS,
    );

    test(
      'with a fee that is too low one is in no block, and the next pays what is asked for',
      async () => {
        const namespace = freshNamespace();
        const by = writer({ timeoutBlocks: 3n });
        const signer = signerAt(0);
        const good = await by.prepare([{ namespace, data: bytes(10, 3) }], signal);
        const node = consensusNode(transportTo(network.consensusNodeUrl), network.consensusNodeUrl);
        const { number: accountNumber } = await node.account(signer.account, signal);
        const { blobs, payment } = decodeBlobTx(good.bytes);
        const terms = { ...decodePayment(payment), fee: 1n, timeoutHeight: good.lastHeight };
        const context = { chainId: root.chainId, accountNumber };
        const cheap = signPayment(payForBlobs(signer.account, blobs), terms, context, signer);
        const other = writer();
        const prepared = { ...good, id: cheap.hash, bytes: encodeBlobTx({ payment: cheap.bytes, blobs }), fee: 1n };
        await other.submit(prepared, signal);
        // It was not prepared by this process, so that an earlier one may have sent it when the price was lower.
        expect(await decided(other, prepared)).toEqual({ kind: 'gone' });
        await post(other, [{ namespace, data: bytes(10, 3) }]);
        expect(payForBlobsGas(blobs, await node.gasTerms(signal))).toBe(terms.gasLimit);
      },
      WAIT_MS,
    );

    test('does not pay more than its limit', async () => {
      const by = writer({ maxGasPrice: ALMOST_NOTHING });
      await expect(by.prepare([{ namespace: freshNamespace(), data: bytes(1, 1) }], signal)).rejects.toBeInstanceOf(
        DaTooExpensive,
      );
    });

    test(
      'is gone when its last height has passed',
      async () => {
        const namespace = freshNamespace();
        const by = writer({ timeoutBlocks: 1n });
        const prepared = await by.prepare([{ namespace, data: bytes(10, 3) }], signal);
        const node = consensusNode(transportTo(network.consensusNodeUrl), network.consensusNodeUrl);
        await eventually(async () => (await node.height(signal)) > prepared.lastHeight, WAIT_MS);
        await by.submit(prepared, signal);
        expect(await by.outcome(prepared, signal)).toEqual({ kind: 'gone' });
        await post(writer(), [{ namespace, data: bytes(10, 5) }]);
      },
      WAIT_MS,
    );

    test(
      'a height that is not there yet is unavailable, and not empty',
      async () => {
        const head = await reader().head(signal);
        await expect(reader().read(head + 10_000n, [freshNamespace()], signal)).rejects.toBeInstanceOf(DaUnavailable);
      },
      WAIT_MS,
    );

    test(
      'a node that is away is unavailable',
      async () => {
        const away = await changingProxy(network.lightNodeUrl);
        await away.close();
        await expect(reader({ url: away.url }).head(signal)).rejects.toBeInstanceOf(DaUnavailable);
        await expect(reader({ url: away.url }).read(2n, [], signal)).rejects.toBeInstanceOf(DaUnavailable);
        const by = writer({}, away.url);
        const blobs = [{ namespace: freshNamespace(), data: bytes(1, 1) }];
        await expect(by.prepare(blobs, signal)).rejects.toBeInstanceOf(DaUnavailable);
        const prepared = await writer().prepare(blobs, signal);
        await expect(by.submit(prepared, signal)).rejects.toBeInstanceOf(DaUnavailable);
        await expect(by.outcome(prepared, signal)).rejects.toBeInstanceOf(DaUnavailable);
      },
      WAIT_MS,
    );

    test('a request that is given up ends at once, with the reason of its signal', async () => {
      const stop = new AbortController();
      const reason = new Error('stopped');
      const [reading, preparing] = [
        reader().read(2n, [freshNamespace()], stop.signal),
        writer().prepare([{ namespace: freshNamespace(), data: bytes(1, 1) }], stop.signal),
      ];
      stop.abort(reason);
      await expect(reading).rejects.toBe(reason);
      await expect(preparing).rejects.toBe(reason);
    });
  });
}
