import { createdAddress } from '@switchyard/evm-machine/created-address';
import { recoverSender } from '@switchyard/evm-machine/recover';
import { POINT_EVALUATION } from '@switchyard/evm-machine/testing';
import type { Address, Authorization, Hash } from '@switchyard/evm-machine/types';
import { accountIdFromBytes, formatAddress, parseAnyAddress } from '@switchyard/protocol';
import { bytesToHex, hexToBytes, keccak256, toWord, ZERO_ADDRESS } from '@switchyard/protocol/ethereum';
import type { BlockEntry, BlockInput } from '@switchyard/rollup/execution';
import {
  BEACON_ROOTS_ADDRESS,
  CREATE2_DEPLOYER_ADDRESS,
  evmGenesisFile,
  type GenesisChoices,
} from '../genesis/file.ts';
import { TEST_BRIDGE, TestAccount, testChain, testDeposit, testInput } from '../testing.ts';
import type { UnsignedTransaction } from '../transactions/sign.ts';
import { decodeTransaction } from '../transactions/transaction.ts';
import * as contracts from './contracts.ts';

/** A bridge whose asset has 12 decimals, so that its deposits leave remainders below a gwei. */
const FINE_BRIDGE = formatAddress(accountIdFromBytes(new Uint8Array(20).fill(0xb2)));

const CHAIN_ID = 1337n;
export const HISTORY_GAS_LIMIT = 12_000_000;

/** Text of the genesis file that histories begin with: small blocks, so that their gas runs out now and then. */
export function historyGenesis(forks: NonNullable<GenesisChoices['forks']> = {}): string {
  return evmGenesisFile(choicesWith(forks));
}

const HISTORY_CHOICES = {
  rollupName: 'test-evm',
  sequencerChainId: 'sequencer-test',
  startHeight: 2,
  timestamp: 1_700_000_000,
  gasLimit: HISTORY_GAS_LIMIT,
  feeRecipient: '0x00000000000000000000000000000000000fee00' as Address,
  bridges: [
    { address: TEST_BRIDGE, asset: 'nria', precision: 9 },
    { address: FINE_BRIDGE, asset: 'nria', precision: 12 },
  ],
};

/** With Prague in between, its contracts are there from the beginning. */
function choicesWith(forks: NonNullable<GenesisChoices['forks']>) {
  return { ...HISTORY_CHOICES, forks, systemContracts: forks.prague !== undefined };
}

/** The embedded back end on that genesis, in memory. */
export function historyChain(forks: NonNullable<GenesisChoices['forks']> = {}) {
  return testChain({ genesis: choicesWith(forks) });
}

/** Facts about the chain that a history needs to make entries that mostly apply. */
export interface Accounts {
  account(address: Address): { readonly nonce: bigint; readonly balance: bigint } | undefined;
}

interface Deployed {
  readonly code: Uint8Array;
  readonly address: Address;
}

const CODES = [
  contracts.COUNTER,
  contracts.PAYER,
  contracts.FEEDER,
  contracts.REVERTER,
  contracts.BURNER,
  contracts.WRITER,
  contracts.DESTROYER,
];

/** Entries of blocks from a seed: transfers, calls and creations, and about one in four that cannot be applied. */
export class History {
  readonly #random: () => number;
  readonly #setsCode: boolean;
  readonly #rich: readonly TestAccount[];
  readonly #poor: readonly TestAccount[];
  readonly #deployed: Deployed[] = [];
  readonly #nonces = new Map<Address, bigint>();
  #seconds = 1_700_000_000n;
  #accounts: Accounts = { account: () => undefined };

  /** @param setsCode Whether there are transactions of type 4, which Prague brought. */
  constructor(seed: number, rich: readonly TestAccount[], { setsCode = false } = {}) {
    this.#setsCode = setsCode;
    this.#random = randomFrom(seed);
    this.#rich = rich;
    this.#poor = Array.from({ length: 6 }, (_, index) =>
      makeAccount(bytesToHex(keccak256(Buffer.from(`poor ${index}`)))),
    );
  }

  /** Input of the block with this number; `accounts` are those after the block before. */
  block(number: bigint, accounts: Accounts, length = this.#below(24)): BlockInput {
    this.#accounts = accounts;
    this.#nonces.clear();
    this.#seconds += BigInt(this.#below(3));
    const entries = number === 1n ? this.#deployAll() : Array.from({ length }, () => this.#entry());
    return testInput(number, entries, this.#seconds);
  }

  #deployAll(): BlockEntry[] {
    return CODES.flatMap((code) => {
      const sender = this.#one(this.#rich);
      const nonce = this.#nonce(sender);
      this.#deployed.push({ code, address: createdAddress(sender.address, nonce) });
      return [data(sender.deploy(contracts.getCreation(code), { nonce, value: 0n }))];
    });
  }

  #entry(): BlockEntry {
    if (this.#setsCode && this.#below(5) === 0) return data(this.#setCode());
    const roll = this.#below(100);
    if (roll < 28) return data(this.#transfer());
    if (roll < 66) return data(this.#call());
    if (roll < 74) return data(this.#create());
    if (roll < 84) return this.#deposit();
    if (roll < 90) return data(this.#strange());
    return data(this.#broken());
  }

  #transfer(): Uint8Array {
    const sender = this.#sender();
    const balance = this.#accounts.account(sender.address)?.balance ?? 0n;
    const value = this.#one([0n, 1n, 10n ** 15n, balance / 2n, balance - 10n ** 15n, balance, balance * 2n]);
    const gasLimit = this.#one([21_000n, 21_000n, 21_000n, 50_000n]);
    return sender.sign({ to: this.#recipient(), value: value < 0n ? 0n : value, gasLimit, ...this.#common(sender) });
  }

  #call(): Uint8Array {
    const sender = this.#sender();
    const { code, address } = this.#one(this.#deployed);
    const gasLimit = this.#one([30_000n, 60_000n, 100_000n, 400_000n, 3_000_000n, 8_000_000n]);
    const someone = BigInt(this.#one([...this.#poor, ...this.#rich]).address);
    const input =
      code === contracts.WRITER
        ? contracts.words(BigInt(this.#below(40)), BigInt(this.#below(2)))
        : contracts.words(someone);
    const value = this.#one([0n, 0n, 10n ** 17n, 10n ** 18n]);
    return sender.sign({ to: address, data: input, value, gasLimit, ...this.#common(sender) });
  }

  #create(): Uint8Array {
    const sender = this.#sender();
    const common = this.#common(sender);
    const code = this.#one(CODES);
    const creation = this.#below(4) === 0 ? contracts.STILLBORN : contracts.getCreation(code);
    const value = this.#one([0n, 10n ** 16n]);
    if (this.#below(2) === 0) {
      const salt = hexToBytes(toWord(BigInt(this.#below(6))));
      const input = Buffer.concat([salt, creation]);
      return sender.sign({ to: CREATE2_DEPLOYER_ADDRESS, data: input, value, gasLimit: 400_000n, ...common });
    }
    if (creation !== contracts.STILLBORN)
      this.#deployed.push({ code, address: createdAddress(sender.address, common.nonce) });
    return sender.deploy(creation, { value, gasLimit: this.#one([60_000n, 300_000n]), ...common });
  }

  /** EIP-7702: authorizations of all kinds, and then a call of an account that may run another's code by now. */
  #setCode(): Uint8Array {
    const sender = this.#sender();
    const common = this.#common(sender);
    const authorizations = Array.from({ length: this.#below(4) }, () => this.#authorization());
    const fees = { gasPrice: undefined, maxFeePerGas: 100n * 10n ** 9n, maxPriorityFeePerGas: BigInt(this.#below(3)) };
    const input = this.#one([new Uint8Array(), contracts.words(BigInt(this.#one(this.#rich).address))]);
    return sender.sign({
      ...{ nonce: common.nonce, chainId: CHAIN_ID, ...fees, authorizations },
      ...{ to: this.#recipient(), data: input, value: this.#one([0n, 1n, 10n ** 16n]) },
      gasLimit: this.#one([46_000n, 120_000n, 400_000n]),
    });
  }

  #authorization(): Authorization {
    const authority = this.#sender();
    const code = this.#one([
      this.#one(this.#deployed).address,
      this.#recipient(),
      ZERO_ADDRESS,
      `0x${'00'.repeat(19)}04` as const,
    ]);
    const nonce = this.#one([true, true, true, false]) ? this.#nonce(authority) : BigInt(this.#below(3));
    const made = authority.authorize(code, nonce, this.#one([CHAIN_ID, CHAIN_ID, 0n, 1n]));
    return this.#below(12) === 0
      ? { ...made, ...this.#one([{ yParity: 2n }, { s: toWord(0n) }, { r: toWord(5n) }]) }
      : made;
  }

  #deposit(): BlockEntry {
    const to = this.#one([
      ...this.#poor.map(({ address }) => address),
      this.#recipient(),
      'not an address',
      '0x12',
      '',
    ]);
    const amount = BigInt(this.#one([0, 1, 999, 1_000_000_001, 3_500_000_000]));
    const fine = this.#below(2) === 0;
    const changes = fine ? { bridge: parseAnyAddress(FINE_BRIDGE) } : {};
    const asset = this.#below(8) === 0 ? { asset: 'transfer/channel-0/other' } : {};
    return testDeposit(to, amount, { ...changes, ...asset, sourceAction: BigInt(this.#below(1_000_000)) });
  }

  /** Applies, though it is nothing that people do every day. */
  #strange(): Uint8Array {
    const sender = this.#one(this.#rich);
    const common = this.#common(sender);
    const precompile: Address = `0x${(1 + this.#below(12)).toString(16).padStart(40, '0')}`;
    const bytes = keccak256(hexToBytes(toWord(BigInt(this.#below(1_000)))));
    const long = Buffer.concat([bytes, bytes, bytes, bytes, bytes, bytes]);
    const input = this.#one([new Uint8Array(), bytes, long, POINT_EVALUATION]);
    if (this.#below(3) === 0) {
      const time = contracts.words(this.#seconds - BigInt(this.#below(3)));
      return sender.sign({ to: BEACON_ROOTS_ADDRESS, data: time, gasLimit: 100_000n, ...common });
    }
    return sender.sign({ to: precompile, data: input, value: 5n, gasLimit: 200_000n, ...common });
  }

  #broken(): Uint8Array {
    const sender = this.#one(this.#rich);
    const nonce = this.#accounts.account(sender.address)?.nonce ?? 0n;
    const to = this.#recipient();
    const good = sender.transfer(to, 1n, { nonce });
    switch (this.#below(9)) {
      case 0:
        return sender.transfer(to, 1n, { nonce: nonce + 50n });
      case 1:
        return sender.transfer(to, 1n, { nonce: nonce - (nonce > 0n ? 1n : 0n) });
      case 2:
        return sender.sign({ to, nonce, gasLimit: 20_000n });
      case 3:
        return sender.sign({ to, nonce, chainId: 1n });
      case 4:
        return good.subarray(0, good.length - 1);
      case 5:
        return Uint8Array.of(3, ...good.subarray(1));
      case 6:
        return sender.sign({ to, nonce, maxFeePerGas: 1n, maxPriorityFeePerGas: 0n });
      case 7:
        return sender.sign({ to, nonce, gasLimit: BigInt(HISTORY_GAS_LIMIT) + 1n });
      default:
        return hexToBytes(toWord(BigInt(this.#below(1_000_000))));
    }
  }

  /** Nonce and fees, in one of the forms that a transaction can have. */
  #common(sender: TestAccount): Partial<UnsignedTransaction> & { readonly nonce: bigint } {
    const nonce = this.#nonce(sender);
    const price = BigInt(this.#one([2, 7, 100])) * 10n ** 9n;
    switch (this.#below(5)) {
      case 0:
        return { nonce, gasPrice: price };
      case 1:
        return { nonce, gasPrice: price, chainId: undefined };
      case 2: {
        const accessList = [{ address: this.#recipient(), storageKeys: [toWord(0n), toWord(1n)] }];
        // The access list costs more gas than a plain transfer brings.
        return { nonce, gasPrice: price, accessList, gasLimit: 400_000n };
      }
      default:
        return { nonce, maxFeePerGas: price, maxPriorityFeePerGas: BigInt(this.#below(3)) };
    }
  }

  #sender(): TestAccount {
    return this.#one([...this.#rich, ...this.#poor]);
  }

  #recipient(): Address {
    const fresh: Address = bytesToHex(keccak256(hexToBytes(toWord(BigInt(this.#below(50))))).subarray(12));
    return this.#one([
      this.#one(this.#rich).address,
      this.#one(this.#poor).address,
      this.#one(this.#deployed).address,
      fresh,
    ]);
  }

  /** The next one in this block, as if all before it applied; now and then not that. */
  #nonce({ address }: TestAccount): bigint {
    const next = this.#nonces.get(address) ?? this.#accounts.account(address)?.nonce ?? 0n;
    const slip = this.#below(20) === 0 ? 1n : 0n;
    this.#nonces.set(address, next + 1n);
    return next + slip;
  }

  #one<T>(items: readonly T[]): T {
    const item = items[this.#below(items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }
}

function data(bytes: Uint8Array): BlockEntry {
  return { kind: 'sequencedData', data: bytes };
}

/** An account without funds. */
function makeAccount(privateKey: Hash): TestAccount {
  const signer = new TestAccount({ address: `0x${'00'.repeat(20)}`, privateKey }, { chainId: CHAIN_ID });
  const address = recoverSender(decodeTransaction(signer.transfer(signer.address, 0n)).signature);
  if (address === undefined) throw new Error('a key that signs nothing');
  return new TestAccount({ address, privateKey }, { chainId: CHAIN_ID });
}

/** Numbers from 0 to below 1, the same for a seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
