import type { Submitted } from '@switchyard/client';
import type { Action, Denom } from '@switchyard/protocol';
import { formatAddress } from '@switchyard/protocol/values';
import { Failure } from '@switchyard/service/failure';
import { denomArgument } from '../../arguments.ts';
import type { Cli, OptionsOf } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { findPreset, getNode, KEY_VARIABLES, type withAsset } from './options.ts';

export interface Signed {
  readonly included: Submitted;
  readonly sender: string;
}

/**
 * Signs one action, sends it and waits until a block holds it.
 *
 * @param build Called with the assets to use, after everything that needs no network has been checked.
 */
export async function sign(
  options: OptionsOf<typeof withAsset>,
  cli: Cli,
  connect: Connections,
  build: (assets: { readonly asset: Denom; readonly feeAsset: Denom }) => Action,
): Promise<Signed> {
  const { mustBeLocal, getSigner } = await import('../../keys.ts');
  const { requireFunds } = await import('../../deployments/preflight/funds.ts');
  const signer = await getSigner(options, cli.world, KEY_VARIABLES);
  const preset = await findPreset(options, cli);
  const named = (flag: string, given: string | undefined, ofNetwork: string | undefined) => {
    if (given !== undefined) return denomArgument(flag, given);
    return ofNetwork === undefined ? undefined : denomArgument(`${flag} of network ${preset?.network}`, ofNetwork);
  };
  const wanted = named('--asset', options.asset, preset?.asset);
  const askedFee = named('--fee-asset', options.feeAsset, preset?.feeAsset);
  const own: Connections = {
    ...connect,
    sequencer(url) {
      mustBeLocal(signer, url, options);
      return connect.sequencer(url);
    },
  };
  const sequencer = await getNode(options, cli, own, preset);
  const variable = cli.world.env.ROLLUP_SEQUENCER_CHAIN_ID;
  const [chainId, allowed] = await Promise.all([
    options['sequencer.chainId'] ?? (variable || (preset?.chainId ?? sequencer.chainId())),
    askedFee === undefined ? sequencer.allowedFeeAssets() : [],
  ]);
  const feeAsset = askedFee ?? (allowed[0] === undefined ? undefined : denomArgument('the fee asset', allowed[0]));
  if (feeAsset === undefined)
    throw new Failure('the sequencer names no asset that pays fees: give one with --fee-asset');
  const transaction = { chainId, actions: [build({ asset: wanted ?? feeAsset, feeAsset })] };
  const sender = formatAddress(signer.account, options.prefix);
  await requireFunds(sequencer, sender, transaction);
  const included = await sequencer.submitAndWait(signer, transaction, options.prefix);
  return { included, sender };
}

/** Prints the result of a signing command; `extra` is merged into the JSON value, `lines` follow the text. */
export function printSigned(
  cli: Cli,
  title: string,
  { included, sender }: Signed,
  extra: Readonly<Record<string, unknown>>,
  lines: readonly string[] = [],
): void {
  const { hash, height, nonce, fees } = included;
  cli.print({ from: sender, ...extra, nonce, txHash: hash, height: Number(height), fees }, [
    `sending tx from address: ${sender}`,
    `${title} completed!`,
    `Included in block: ${height}`,
    `Transaction hash: ${hash}`,
    `Fee: ${fees.length === 0 ? 'none' : fees.map(({ amount, asset }) => `${amount} ${asset}`).join(', ')}`,
    ...lines,
  ]);
}
