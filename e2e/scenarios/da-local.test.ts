import { createCelestiaReader, createCelestiaWriter, DaUnavailable, type PreparedBlobs } from '@switchyard/da';
import { daSuite, signerOf } from '@switchyard/da/testing';
import { namespaceFromId } from '@switchyard/protocol/celestia';
import { grpcTransport, silentLogger } from '@switchyard/service';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DaProcess, startDa } from '../support/da.ts';
import { until } from '../support/network.ts';

daSuite('the process of the local layer', () => startDa());

const MINUTE_MS = 60_000;
const signal = new AbortController().signal;
const NAMESPACE = namespaceFromId(new Uint8Array(10).fill(0x33));

describe('kill -9 of the local layer', () => {
  let da: DaProcess;
  const transports: { close(): void }[] = [];
  beforeAll(async () => {
    da = await startDa();
  });
  afterAll(async () => {
    for (const transport of transports) transport.close();
    await da?.close();
  });

  /** A writer like that of a process that was restarted, and has what it prepared on its disk. */
  const writer = () => {
    const transport = grpcTransport(da.consensusNodeUrl);
    transports.push(transport);
    return createCelestiaWriter(
      { url: da.consensusNodeUrl, signer: signerOf(1), maxGasPrice: 10n ** 18n },
      { transport },
    );
  };
  const restart = async () => {
    await da.kill();
    await da.start();
  };
  /** Submits pending blobs again until they are included, as a relayer does. */
  const settle = (by: ReturnType<typeof writer>, prepared: PreparedBlobs): Promise<bigint> =>
    until(
      'it is included',
      async () => {
        try {
          const outcome = await by.outcome(prepared, signal);
          if (outcome.kind === 'included') return outcome.height;
          if (outcome.kind !== 'pending') throw new Error(outcome.kind);
          await by.submit(prepared, signal);
        } catch (error) {
          if (!(error instanceof DaUnavailable)) throw error;
        }
        return undefined;
      },
      MINUTE_MS,
    );

  test(
    'each blob is in exactly one block, whenever it is killed, and no block changes',
    async () => {
      const heights: bigint[] = [];
      const byte = (round: number) => new Uint8Array(600).fill(round);
      for (const [round, at] of (['prepared', 'submitted', 'later', 'included', 'away'] as const).entries()) {
        const by = writer();
        const prepared = await by.prepare([{ namespace: NAMESPACE, data: byte(round) }], signal);
        if (at === 'prepared') await restart();
        if (at === 'away') {
          await da.kill();
          await expect(by.submit(prepared, signal)).rejects.toBeInstanceOf(DaUnavailable);
          await da.start();
        } else await by.submit(prepared, signal);
        if (at === 'later') await by.outcome(prepared, signal);
        if (at === 'submitted' || at === 'later') await restart();
        if (at === 'included') {
          await settle(by, prepared);
          await restart();
        }
        heights.push(await settle(writer(), prepared));
      }
      const answer = await fetch(da.lightNodeUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'header.GetByHeight', params: [1] }),
      });
      const { result } = (await answer.json()) as {
        result: { header: { chain_id: string }; commit: { block_id: { hash: string } } };
      };
      const root = {
        chainId: result.header.chain_id,
        height: 1n,
        hash: Uint8Array.from(Buffer.from(result.commit.block_id.hash, 'hex')),
      };
      const reader = createCelestiaReader({ url: da.lightNodeUrl, root }, { log: silentLogger });
      const head = await reader.head(signal);
      const found: { height: bigint; data: Uint8Array }[] = [];
      for (let height = 1n; height <= head; height++) {
        const { blobs } = await reader.read(height, [NAMESPACE], signal);
        for (const { data } of blobs[0] ?? []) found.push({ height, data });
      }
      expect(found).toEqual(heights.map((height, round) => ({ height, data: byte(round) })));
      await restart();
      for (const { height, data } of found) {
        expect((await reader.read(height, [NAMESPACE], signal)).blobs[0]).toMatchObject([{ data }]);
      }
      expect(da.output()).toContain('development only');
    },
    4 * MINUTE_MS,
  );
});
