import type { Header } from '@switchyard/evm-machine/types';
import { asList, decodeRlp, toWord } from '@switchyard/protocol/ethereum';
import { EMPTY_UNCLES, headerFromItems } from '../blocks/header.ts';
import { EMPTY_ROOT } from '../blocks/ordered-root.ts';
import type { HeaderRow } from '../chain/rows.ts';

/** Stored row for the header of an idle block. */
export function headerRow(number: bigint, fields: Partial<Header> = {}): HeaderRow {
  const sequencerBlockHash = number === 0n ? '' : toWord(number + 1_000n).slice(2);
  const seconds = 1_700_000_000n + 2n * number;
  const header: Header = {
    parentHash: toWord(number + 99n),
    uncleHash: EMPTY_UNCLES,
    coinbase: `0x${'11'.repeat(20)}`,
    stateRoot: toWord(number * 7n),
    transactionsRoot: EMPTY_ROOT,
    receiptsRoot: EMPTY_ROOT,
    logsBloom: `0x${'00'.repeat(256)}`,
    difficulty: 0n,
    number,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    baseFeePerGas: 7n,
    timestamp: seconds,
    extraData: '0x',
    mixHash: toWord(0n),
    nonce: '0x0000000000000000',
    withdrawalsRoot: EMPTY_ROOT,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: toWord(number === 0n ? 0n : number + 1_000n),
    requestsHash: undefined,
    blockAccessListHash: undefined,
    slotNumber: undefined,
    ...fields,
  };
  const origin = { sequencerBlockHash, timestamp: { seconds, nanos: Number(number) * 11 } };
  return { hash: toWord(number + 100n), header, size: 600, transactions: 0, origin };
}

/** @throws {InvalidRlp} */
export function decodeHeader(bytes: Uint8Array): Header {
  return headerFromItems(asList(decodeRlp(bytes)));
}
