import {
  type Action,
  accountIdFromBytes,
  createSigner,
  formatAddress,
  fromHex,
  parseAnyAddress,
  parseDenom,
  sha256Hex,
} from '@switchyard/protocol';
import { plain } from '@switchyard/protocol/hidden-characters';
import type { Manifest } from '@switchyard/stack';
import type { Cli } from '../../cli.ts';
import type { Connections, SequencerPort } from '../../connect.ts';
import { evmRollupIn } from '../../dev/networks/evm-rollup.ts';
import { findTarget } from '../../target.ts';
import { type Finding, risky } from './finding.ts';
import { requireFunds } from './funds.ts';

/*
 * A network id is claimed on a sequencer by one transaction, which sends one unit each to two addresses without a key: one
 * made from the id, and one made from the id and the name of the rollup there. Balances are what every sequencer can be
 * queried for, the reference's too, and nothing in the rollup's own data changes. A claim is a notice, not a lock: a user who
 * insists can use the id as well.
 */

type Claimant = Pick<Manifest, 'kind' | 'networkId' | 'chainId' | 'sequencerAddressPrefix'>;

/** Accounts that record a claim: that of the id, and that of the rollup's. */
export function claimAddresses({ networkId, chainId, sequencerAddressPrefix: prefix }: Claimant): [string, string] {
  const at = (text: string) =>
    formatAddress(accountIdFromBytes(fromHex(sha256Hex(Buffer.from(text))).slice(0, 20)), prefix);
  return [at(`switchyard network id ${networkId}`), at(`switchyard network id ${networkId} of ${chainId}`)];
}

type Claim = 'none' | 'ours' | 'of another';

async function getClaim(sequencer: Pick<SequencerPort, 'balances'>, claimant: Claimant): Promise<Claim> {
  const balances = await Promise.all(claimAddresses(claimant).map((address) => sequencer.balances(address)));
  const [isClaimed, isOurs] = balances.map((each) => each.some(({ amount }) => amount > 0n));
  return isOurs ? 'ours' : isClaimed ? 'of another' : 'none';
}

/** Whether another rollup of the sequencer has claimed the network id. */
export async function networkIdFindings(
  sequencer: Pick<SequencerPort, 'balances'>,
  manifest: Claimant,
): Promise<Finding[]> {
  return manifest.kind === 'evm' && (await getClaim(sequencer, manifest)) === 'of another'
    ? [taken(manifest, 'another rollup of this sequencer has claimed')]
    : [];
}

/** Whether the EVM rollup of the instance that runs on this machine, which claims nothing, uses the network id. */
export async function instanceFindings(
  cli: Cli,
  connect: Connections,
  manifest: Claimant & Pick<Manifest, 'sequencerRpc'>,
): Promise<Finding[]> {
  if (manifest.kind !== 'evm') return [];
  const silent = { ...cli, note: () => {} };
  const chosen = await findTarget({}, silent, (instance) => evmRollupIn(instance) !== undefined).catch(() => undefined);
  const rollup = chosen?.isRunning ? evmRollupIn(chosen.instance) : undefined;
  if (chosen === undefined || rollup?.network.sequencerRpc.replace(/\/+$/, '') !== manifest.sequencerRpc) return [];
  const used = await connect
    .evm(rollup.url)
    .then((node) => node.status())
    .catch(() => undefined);
  const { name } = chosen.instance.paths;
  return used?.chainId === manifest.networkId ? [taken(manifest, `the EVM rollup of instance ${name} has`)] : [];
}

const taken = ({ networkId }: Claimant, who: string): Finding =>
  risky(
    `config.rollup.networkId: expected an id of its own, got ${networkId}, which ${who}: transactions signed for one would be valid on the other`,
  );

/** Claims the network id unless that is done. What keeps it from that is noted: the rollup runs without. */
export async function claimNetworkId(cli: Cli, connect: Connections, manifest: Manifest, key: string): Promise<void> {
  const { kind, networkId, sequencerRpc, sequencerChainId, feeAsset, sequencerAddressPrefix: prefix } = manifest;
  if (kind !== 'evm') return;
  try {
    if (/\.(svc|cluster\.local)$/.test(new URL(sequencerRpc).hostname))
      throw new Error(`the name of ${sequencerRpc} is one of the cluster`);
    const sequencer = await connect.sequencer(sequencerRpc);
    if ((await getClaim(sequencer, manifest)) === 'ours') return;
    const asset = parseDenom(feeAsset);
    const actions = claimAddresses(manifest).map((address): Action => {
      return { kind: 'transfer', to: parseAnyAddress(address), amount: 1n, asset, feeAsset: asset };
    });
    const transaction = { chainId: sequencerChainId ?? (await sequencer.chainId()), actions };
    const signer = createSigner(fromHex(key));
    await requireFunds(sequencer, formatAddress(signer.account, prefix), transaction);
    const { height } = await sequencer.submitAndWait(signer, transaction, prefix);
    cli.note(`note: network id ${networkId} is claimed in sequencer block ${height}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    cli.note(`note: network id ${networkId} is not claimed, another rollup can take it unnoticed: ${plain(reason)}`);
  }
}
