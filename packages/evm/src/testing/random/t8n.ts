import { spawn } from 'node:child_process';
import { bytesToHex, decodeRlp, encodeRlp, toWord, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { list, object, optional, parseInput, text } from '@switchyard/service/input';
import type { GenesisAccount, GenesisAlloc } from '../../genesis/genesis.ts';
import { dataText, uint, wordText } from '../../genesis/values.ts';
import type { TestBlock } from '../official/engine.ts';
import { nameOfFork } from '../official/fork-names.ts';

/* A block as go-ethereum's `evm t8n` executes it. */

const readResult = object({
  stateRoot: wordText,
  receiptsRoot: wordText,
  logsHash: wordText,
  gasUsed: uint(64),
  receipts: list(object({ status: uint(1), gasUsed: uint(64), logs: list(object({ data: dataText(16_777_216) })) })),
  /** From Amsterdam on. */
  blockAccessList: optional(dataText(67_108_864)),
  rejected: optional(list(object({ index: (input) => input.integer(), error: text })), []),
});

export type T8nResult = ReturnType<typeof readResult>;

const readOutput = object({ result: readResult });

/** @param program File of geth's `evm`. @throws What it ended with. */
export async function runT8n(
  program: string,
  block: TestBlock,
  alloc: GenesisAlloc,
  transactions: readonly Uint8Array[],
): Promise<T8nResult> {
  const streams = ['--input.alloc=stdin', '--input.env=stdin', '--input.txs=stdin', '--output.result=stdout'];
  // The alloc after the block is not looked at: its root is.
  const args = ['t8n', ...streams, '--output.alloc='];
  const child = spawn(program, [...args, `--state.fork=${nameOfFork(block.fork)}`, `--state.chainid=${block.chainId}`]);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => out.push(part));
  child.stderr.on('data', (part: Buffer) => err.push(part));
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(makeInput(block, alloc, transactions)));
  const status = await ended;
  if (status !== 0) throw new Error(`t8n ended with status ${status}: ${Buffer.concat(err).toString().slice(-300)}`);
  return readOutput(parseInput(Buffer.concat(out).toString(), 't8n')).result;
}

/** Standard input of `evm t8n`. */
export function makeInput(block: TestBlock, alloc: GenesisAlloc, transactions: readonly Uint8Array[]): object {
  const hex = (value: bigint): string => `0x${value.toString(16)}`;
  const ancestors = Array.from({ length: 256 }, (_, at) => block.number - 256n + BigInt(at));
  return {
    alloc: Object.fromEntries([...alloc].map(([address, each]) => [address, makeAccount(each)])),
    env: {
      currentCoinbase: block.coinbase,
      currentDifficulty: '0x0',
      currentRandom: block.prevRandao,
      currentGasLimit: hex(block.gasLimit),
      currentNumber: hex(block.number),
      currentTimestamp: hex(block.timestamp),
      currentBaseFee: hex(block.baseFeePerGas ?? 0n),
      currentExcessBlobGas: '0x0',
      slotNumber: hex(block.slotNumber ?? 0n),
      parentBeaconBlockRoot: block.parentBeaconBlockRoot ?? ZERO_HASH,
      blockHashes: Object.fromEntries(ancestors.map((number) => [hex(number), block.blockHash(number)])),
      withdrawals: [],
    },
    txsRlp: bytesToHex(encodeRlp(transactions.map((raw) => ((raw[0] ?? 0) < 0x80 ? raw : decodeRlp(raw))))),
  };
}

/** An account in the form of a genesis file, in hex. */
export function makeAccount({ nonce, balance, code, storage }: GenesisAccount): object {
  return {
    nonce: `0x${nonce.toString(16)}`,
    balance: `0x${balance.toString(16)}`,
    code,
    storage: Object.fromEntries([...storage].map(([slot, value]) => [slot, toWord(value)])),
  };
}
