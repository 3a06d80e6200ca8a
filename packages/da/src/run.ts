import { mkdirSync } from 'node:fs';
import { equalBytes, headerHash, Rejected, timestampToMillis, toHex } from '@switchyard/protocol';
import { type CelestiaAccount, formatCelestiaAddress, parseCelestiaAddress } from '@switchyard/protocol/celestia';
import {
  healthRoutes,
  InvalidConfig,
  JsonRpcError,
  ownListener,
  type ProcessContext,
  RPC,
  scrub,
  serveGrpc,
  wallClock,
} from '@switchyard/service';
import { InvalidData } from '@switchyard/service/input';
import { jsonRpcServer, serveJsonRpc } from '@switchyard/service/json-rpc';
import { StoreScrub } from '@switchyard/storage';
import { developmentSigner } from './celestia/key.ts';
import { type DaProcessConfig, type FundedAddress, fields } from './config.ts';
import type { Accounts, LocalAccount } from './local/accounts.ts';
import { type BlockStore, openBlockStore } from './local/block-store.ts';
import { LocalChain } from './local/chain.ts';
import { consensusRoutes, SERVICES } from './local/consensus-services.ts';
import { LABEL, LARGE, lightNodeMethods } from './local/light-node-methods.ts';
import { getValidators } from './local/make-block.ts';
import { validatorKey } from './local/validator-key.ts';

/** The longest transaction and its framing; a longer one is to be refused by its code. */
const MAX_MESSAGE_BYTES = 9 * 1_048_576;

/** Builds the local layer from its parts and produces blocks until the signal aborts. */
export async function runDa(config: DaProcessConfig, context: ProcessContext): Promise<void> {
  const { log, metrics, signal, defer, background, fail } = context;
  log.warn({ chainId: config.chainId }, LABEL);
  mkdirSync(config.dbFilepath, { recursive: true, mode: 0o700 });
  const store = openBlockStore(config.dbFilepath, fail);
  defer(() => store.close());
  const validator = validatorKey(config.dbFilepath, fields.dbFilepath.names[0], log);
  const [own] = getValidators(validator);
  requireSameChain(store, config, own?.address ?? new Uint8Array());
  const genesis = getGenesis(config.genesisAccounts);
  const stored = store.accounts();
  const missing = stored && Array.from(genesis.keys()).find((account) => !stored.has(account));
  if (missing !== undefined) {
    const address = formatCelestiaAddress(missing);
    log.warn(
      { address },
      'this account was not in the genesis, and has nothing: accounts are made at the first start only',
    );
  }
  const { chainId } = config;
  const chain = new LocalChain(config, { store, validator, genesis, wall: wallClock, log });
  const height = metrics.gauge('height', 'newest block');
  const pending = metrics.gauge('pending_transactions', 'transactions that wait for a block');
  // Readers that find a listener find a header.
  await chain.produce();

  const grpc = await serveGrpc({
    ...ownListener(fields, config, 'grpcAddr', context),
    services: SERVICES,
    routes: (router) => consensusRoutes(router, chain),
    maxMessageBytes: MAX_MESSAGE_BYTES,
  });
  defer(() => grpc.close());
  const http = await serveJsonRpc({
    ...ownListener(fields, config, 'apiListenAddr', context),
    server: jsonRpcServer({
      methods: lightNodeMethods(chain, signal),
      large: LARGE,
      stringify: JSON.stringify,
      translate: (error) =>
        error instanceof InvalidData || error instanceof Rejected
          ? new JsonRpcError(RPC.invalidParams, error.message)
          : undefined,
      log,
    }),
    app: healthRoutes({
      ready: () => ({ ok: true }),
      status: () => ({
        pid: process.pid,
        label: LABEL,
        chainId,
        height: chain.head,
        // Kept for ever, and the block that leads to all others within the trusting period.
        first: findBlock(store, 1n),
        newest: findBlock(store, chain.head),
        pendingTransactions: chain.pending,
        accounts: getAccounts(chain.accounts),
      }),
      metrics: {
        ...metrics,
        text() {
          height.set(Number(chain.head));
          pending.set(chain.pending);
          return metrics.text();
        },
      },
    }),
  });
  defer(() => http.close());
  log.info({ grpc: grpc.url, http: http.url, chainId, height: chain.head }, 'making blocks');
  background(scrub([new StoreScrub(config.dbFilepath, 'da-blocks')], config.scrubBytesPerSecond, context));
  background(chain.run(signal));
}

/** @throws {InvalidConfig} if directory and settings, or its two parts, do not belong together. */
function requireSameChain(store: BlockStore, { chainId, dbFilepath }: DaProcessConfig, validator: Uint8Array): void {
  const header = store.head === undefined ? undefined : store.block(store.head)?.header;
  if (header === undefined) return;
  const problem = (variable: string, expected: string, got: string, advice: string) =>
    new InvalidConfig({ variable, expected, got, advice });
  if (header.chainId !== chainId) {
    const advice = 'give that one, or another directory';
    throw problem(fields.chainId.names[0], `${header.chainId}, of which ${dbFilepath} has blocks`, chainId, advice);
  }
  if (!equalBytes(header.proposerAddress, validator)) {
    const advice = 'restore the file, or give another directory';
    throw problem(
      fields.dbFilepath.names[0],
      'blocks by the key next to them',
      `${dbFilepath}: blocks by another`,
      advice,
    );
  }
}

/** A block that readers elsewhere may be given to prove the rest from, if this layer is believed. */
function findBlock(store: BlockStore, height: bigint): object | undefined {
  const header = store.block(height)?.header;
  if (header === undefined) return undefined;
  const time = new Date(timestampToMillis(header.time)).toISOString();
  return { height, hash: toHex(headerHash(header)), time };
}

function getGenesis(funded: readonly FundedAddress[]): Accounts {
  const accounts = new Map<CelestiaAccount, LocalAccount>();
  for (const { address, amount } of funded) {
    try {
      const balance = (accounts.get(parseCelestiaAddress(address))?.balance ?? 0n) + amount;
      accounts.set(parseCelestiaAddress(address), { number: BigInt(accounts.size + 1), sequence: 0n, balance });
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const [variable] = fields.genesisAccounts.names;
      const advice = 'correct it: its checksum is wrong';
      throw new InvalidConfig({ variable, expected: 'addresses of Celestia', got: address, advice });
    }
  }
  return accounts;
}

function getAccounts(accounts: Accounts): object[] {
  const published = developmentSigner().account;
  return Array.from(accounts, ([id, { sequence, balance }]) => ({
    address: formatCelestiaAddress(id),
    sequence,
    balance: String(balance),
    ...(id === published && { key: 'published' }),
  }));
}
