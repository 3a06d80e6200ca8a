import {
  createValidator,
  decodeSignedHeader,
  formatRfc3339,
  renderPublicKey,
  renderValidator,
  type Timestamp,
} from '@switchyard/protocol';
import { internalError } from '@switchyard/service';
import { renderConsensusParams } from '../../../genesis-file.ts';
import { loadState } from '../../chain-state.ts';
import { BLOCK_PROTOCOL } from '../../make-block.ts';
import { type Methods, method, type Node } from '../method.ts';
import { getHeight, getPage } from '../paging.ts';
import { flag, height, hexadecimal, optionalCount, optionalHeight, words } from '../params.ts';
import { base64, hex } from '../render.ts';

/** The release whose RPC this is like; clients choose their dialect by it. */
const COMET_VERSION = '0.38.26';
const P2P_PROTOCOL = '8';
const GENESIS_CHUNK_BYTES = 16 * 1024 * 1024;

/** Methods about the node, the genesis file, the validator and the application. */
export function infoMethods(node: Node, rpcAddress: () => string): Methods {
  const { chain, app, signer } = node;
  const validator = (power: bigint) => createValidator(signer.publicKey, power);
  let genesisText: Buffer | undefined;
  const genesisBytes = () => (genesisText ??= Buffer.from(JSON.stringify(chain.genesis.json)));

  return {
    health: method({}, () => '{}'),

    status: method({}, () =>
      JSON.stringify({
        node_info: {
          protocol_version: {
            p2p: P2P_PROTOCOL,
            block: String(BLOCK_PROTOCOL),
            app: String(chain.state.params.version.app),
          },
          id: signer.account,
          listen_addr: rpcAddress(),
          network: chain.genesis.genesis.chainId,
          version: COMET_VERSION,
          channels: '',
          moniker: 'switchyard-solo',
          other: { tx_index: 'on', rpc_address: rpcAddress() },
        },
        sync_info: syncInfo(node),
        validator_info: {
          address: signer.account.toUpperCase(),
          pub_key: renderPublicKey(signer.publicKey),
          voting_power: String(chain.state.power.next),
        },
      }),
    ),

    net_info: method({}, () =>
      JSON.stringify({ listening: true, listeners: [`Listener(@${rpcAddress()})`], n_peers: '0', peers: [] }),
    ),

    genesis: method(
      {},
      () => {
        if (genesisBytes().length > GENESIS_CHUNK_BYTES) {
          throw internalError('genesis response is large, please use the genesis_chunked API instead');
        }
        return `{"genesis":${genesisBytes().toString()}}`;
      },
      { large: true },
    ),

    genesis_chunked: method(
      { chunk: height },
      ({ chunk }) => {
        const last = Math.floor((genesisBytes().length - 1) / GENESIS_CHUNK_BYTES);
        if (chunk < 0n || chunk > last) throw internalError(`there are ${last} chunks, ${chunk} is invalid`);
        const start = Number(chunk) * GENESIS_CHUNK_BYTES;
        const data = base64(genesisBytes().subarray(start, start + GENESIS_CHUNK_BYTES));
        return JSON.stringify({ chunk: String(chunk), total: String(last + 1), data });
      },
      { large: true },
    ),

    abci_info: method({}, () => {
      const { data, version, appVersion, height: lastHeight, appHash } = app.info();
      return JSON.stringify({
        response: {
          data,
          version,
          ...(appVersion !== 0n && { app_version: String(appVersion) }),
          ...(lastHeight !== 0n && { last_block_height: String(lastHeight) }),
          ...(appHash.length > 0 && { last_block_app_hash: base64(appHash) }),
        },
      });
    }),

    abci_query: method(
      { path: words, data: hexadecimal, height, prove: flag },
      async ({ path, data, height: wanted }) => {
        const answer = await app.query(path, data, wanted === 0n ? undefined : wanted);
        return JSON.stringify({
          response: {
            code: answer.code,
            log: answer.log,
            info: answer.info,
            index: '0',
            key: answer.key.length === 0 ? null : base64(answer.key),
            value: answer.value.length === 0 ? null : base64(answer.value),
            proofOps: null,
            height: String(answer.height),
            codespace: '',
          },
        });
      },
    ),

    validators: method(
      { height: optionalHeight, page: optionalCount, per_page: optionalCount },
      ({ height: wanted, page, per_page }) => {
        // The set for the next block is known already.
        const latest = chain.state.height + 1n;
        const at = getHeight(chain, wanted, latest);
        const all = [validator(at === latest ? chain.state.power.next : loadState(chain.store, at).power.last)];
        const shown = getPage(all, page, per_page).map(renderValidator);
        return JSON.stringify({
          block_height: String(at),
          validators: shown,
          count: String(shown.length),
          total: String(all.length),
        });
      },
    ),

    consensus_params: method({ height: optionalHeight }, ({ height: wanted }) => {
      const latest = chain.state.height + 1n;
      const at = getHeight(chain, wanted, latest);
      const before = at === latest ? chain.state : chain.has(at - 1n) ? loadState(chain.store, at - 1n) : undefined;
      // They are stored with the block before.
      if (before === undefined && at > chain.genesis.genesis.initialHeight) {
        throw internalError(`height ${at} is not available, lowest height is ${at + 1n}`);
      }
      const params = before?.params ?? chain.genesis.genesis.consensusParams;
      return JSON.stringify({ block_height: String(at), consensus_params: renderConsensusParams(params) });
    }),

    consensus_state: method({}, () => JSON.stringify({ round_state: roundState(node) })),
    dump_consensus_state: method({}, () => JSON.stringify({ round_state: roundState(node), peers: [] })),
  };
}

interface BlockFacts {
  readonly hash: string;
  readonly appHash: string;
  readonly time: Timestamp;
}

function factsOf({ chain }: Node, at: bigint): BlockFacts | undefined {
  const stored = chain.signedHeader(at);
  if (stored === undefined) return undefined;
  const { header, commit } = decodeSignedHeader(stored);
  return { hash: hex(commit.blockId.hash), appHash: hex(header.appHash), time: header.time };
}

const NOTHING: BlockFacts = { hash: '', appHash: '', time: { seconds: 0n, nanos: 0 } };

function syncInfo(node: Node): object {
  const { chain } = node;
  const latest = factsOf(node, chain.height) ?? NOTHING;
  const earliest = factsOf(node, chain.first) ?? NOTHING;
  return {
    latest_block_hash: latest.hash,
    latest_app_hash: latest.appHash,
    latest_block_height: String(chain.height),
    latest_block_time: formatRfc3339(latest.time),
    earliest_block_hash: earliest.hash,
    earliest_app_hash: earliest.appHash,
    earliest_block_height: String(chain.first),
    earliest_block_time: formatRfc3339(earliest.time),
    catching_up: false,
  };
}

/** There are no rounds: one validator decides at once. */
function roundState({ chain, signer }: Node): object {
  return {
    'height/round/step': `${chain.state.height + 1n}/0/1`,
    start_time: formatRfc3339(chain.state.time),
    proposal_block_hash: '',
    locked_block_hash: '',
    valid_block_hash: '',
    height_vote_set: [],
    proposer: { address: signer.account.toUpperCase(), index: 0 },
  };
}
