import { setTimeout as sleep } from 'node:timers/promises';
import { formatAddress, fromHex } from '@switchyard/protocol/values';
import { Failure, usage } from '@switchyard/service/failure';
import { addressArgument, denomArgument, readAmount, readTimeout } from '../../arguments.ts';
import { type Cli, leaf, type OptionsOf, optionSet } from '../../cli.ts';
import type { Connections, EvmPort } from '../../connect.ts';
import type { EvmRollup } from '../../dev/networks/evm-rollup.ts';
import { withKey } from '../../key-options.ts';
import { KEY_VARIABLES } from '../sequencer/options.ts';
import { getNode, requireRollup, withNode } from './options.ts';

const POLL_MS = 100;

const withKeys = optionSet((command) =>
  withNode(withKey(KEY_VARIABLES)(command)).option(
    '--bridge-private-key-file <path>',
    'key of the bridge account, needed once; on a local network it is known',
  ),
);

/** `switchyard evm deposit RECIPIENT --amount N`: sets up the bridge account if that was not done, and locks. */
export function depositCommand(cli: Cli, connect: Connections) {
  const command = leaf(
    'deposit',
    'bring an amount of the sequencer onto the EVM rollup, and wait until it is there',
    '0x70997970C51812dc3A010C7d01b50e0d17dc79C8 --amount 100',
  );
  return withKeys(command)
    .argument('<recipient>', 'who gets it on the EVM rollup: 20 bytes as hex with 0x')
    .requiredOption(
      '--amount <n>',
      "how much, in the asset's smallest unit: with 9 decimals one unit is a gwei",
      readAmount,
    )
    .option('--fee-asset <asset>', 'asset that pays fees on the sequencer (default: the deposited one)')
    .option('--timeout <seconds>', 'how long to wait for the rollup', readTimeout, 30)
    .addHelpText('after', '\nOn a local network the development account alice pays, unless a key is given.')
    .action(async (recipient, { amount, ...options }) => {
      const { parseEthereumAddress } = await import('@switchyard/protocol/ethereum');
      const { WITHDRAWER_ADDRESS } = await import('@switchyard/evm/client');
      const { genesisFacts } = await import('../../dev/networks/evm-rollup.ts');
      const { ensureBridge, PREFIX } = await import('./bridge.ts');
      const to = parseEthereumAddress(recipient);
      if (to === undefined) {
        throw usage(
          `recipient: expected 20 bytes as hex, all in one case or with a valid checksum, got ${JSON.stringify(recipient.slice(0, 100))}`,
        );
      }
      if (to === WITHDRAWER_ADDRESS)
        throw usage(
          `recipient: expected an account, got ${to}, the contract for withdrawals, which gives no coins back`,
        );
      const rollup = await requireRollup(options, cli);
      const { rollupName, startHeight, bridges } = genesisFacts(rollup.genesisFile);
      const [bridge] = bridges;
      if (bridge === undefined) {
        throw new Failure(
          `${rollup.genesisFile}: config.switchyard.bridgeAddresses: names no account, so the rollup takes no deposits`,
        );
      }
      const { payer, bridgeSigner } = await signers(options, rollup, bridge.address, cli);
      const [sequencer, node] = await Promise.all([
        connect.sequencer(rollup.network.sequencerRpc),
        getNode(options, cli, connect, rollup),
      ]);
      const asset = denomArgument('assetDenom', bridge.asset);
      const feeAsset = options.feeAsset === undefined ? asset : denomArgument('--fee-asset', options.feeAsset);
      const { requireFunds } = await import('../../deployments/preflight/funds.ts');
      const chainId = rollup.network.sequencerChainId;
      const from = formatAddress(payer.account, PREFIX);
      const lock = {
        kind: 'bridgeLock',
        to: addressArgument('bridgeAddress', bridge.address, PREFIX),
        amount,
        destination: to,
        asset,
        feeAsset,
      } as const;
      const transaction = { chainId, actions: [lock] };
      const made = await ensureBridge({ sequencer, chainId, rollupName, bridge, feeAsset, payer, bridgeSigner });
      if (made) cli.note(`${bridge.address} is the bridge account of ${rollupName} now`);
      await requireFunds(sequencer, from, transaction);
      const { hash, height } = await sequencer.submitAndWait(payer, transaction, PREFIX);
      const block = height - startHeight + 1n;
      await arrival(node, { block, hash, to, timeoutMs: 1_000 * options.timeout });
      const wei = amount * 10n ** BigInt(18 - bridge.precision);
      const value = { from, to, bridge: bridge.address, amount, asset: bridge.asset, wei };
      cli.print({ ...value, txHash: hash, height: Number(height), block: Number(block) }, [
        `locked ${amount} ${bridge.asset} of ${from} in block ${height} of the sequencer`,
        `Transaction hash: ${hash}`,
        `credited ${wei} wei to ${to} in block ${block} of ${rollupName}`,
      ]);
    });
}

/** Keys of the payer, and of the bridge account if it was given or is published. @throws {Failure} */
async function signers(options: OptionsOf<typeof withKeys>, { remote }: EvmRollup, bridge: string, cli: Cli) {
  const { getSigner } = await import('../../keys.ts');
  const { alice, dave } = await import('@switchyard/network/accounts');
  const { createSigner } = await import('@switchyard/protocol/signer');
  const { privateKey, privateKeyFile, bridgePrivateKeyFile, passphraseFile } = options;
  const passphrase = passphraseFile === undefined ? {} : { passphraseFile };
  const { env } = cli.world;
  const given = privateKey ?? privateKeyFile ?? KEY_VARIABLES.map((name) => env[name]).find((value) => value);
  const payer =
    given === undefined && !remote
      ? createSigner(fromHex(alice.key))
      : await getSigner(options, cli.world, KEY_VARIABLES);
  if (bridgePrivateKeyFile !== undefined) {
    return {
      payer,
      bridgeSigner: await getSigner({ ...passphrase, privateKeyFile: bridgePrivateKeyFile }, cli.world, []),
    };
  }
  return { payer, bridgeSigner: bridge === dave.address && !remote ? createSigner(fromHex(dave.key)) : undefined };
}

/** Waits until the rollup has made its block of the deposit. @throws {Failure} when it was refused there, or in time. */
async function arrival(
  node: EvmPort,
  {
    block,
    hash,
    to,
    timeoutMs,
  }: { readonly block: bigint; readonly hash: string; readonly to: string; readonly timeoutMs: number },
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await node.block(block);
    if (found?.withdrawals.some(({ address }) => address === to)) return;
    if (found !== undefined) {
      const refused = (await node.refusals(block)).filter(({ kind }) => kind === 'deposit');
      if (refused.length === 0) return;
      throw new Failure(
        `the rollup refused a deposit of block ${block}, and the amount locked by ${hash} stays locked: ${refused.map(({ reason }) => reason).join('; ')}`,
      );
    }
    if (performance.now() > deadline) {
      throw new Failure(
        `locked by ${hash}, and the rollup has no block ${block} after ${timeoutMs / 1_000} s: it will be credited when the rollup gets there`,
      );
    }
    await sleep(POLL_MS);
  }
}
