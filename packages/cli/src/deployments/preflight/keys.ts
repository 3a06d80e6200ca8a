import { fromHex, isDevelopmentKey } from '@switchyard/protocol';
import { addressOfKey } from '@switchyard/protocol/ethereum';
import type { Keys, Manifest } from '@switchyard/stack';
import { coinFindings } from './bridge.ts';
import { type Finding, noted, refused, risky } from './finding.ts';

/**
 * Whether the keys are secret, the faucet has something to give, and withdrawals are of coins that were deposited.
 *
 * @param isLocal Sequencer and rollup are on this machine, for which a published key is usual.
 */
export async function keyFindings(manifest: Manifest, { sequencer, faucet, withdrawers = [] }: Keys, isLocal = false) {
  const { kind, faucetEnabled, genesisAccounts } = manifest;
  const named: readonly (readonly [string, string])[] = [
    ['--sequencer-private-key', sequencer],
    ...withdrawers.map((key) => ['--withdrawer-private-key-file', key] as const),
    ...(faucetEnabled ? [['--faucet-private-key', faucet] as const] : []),
  ];
  const published = named.filter(([, key]) => isDevelopmentKey(fromHex(key)));
  const found = isLocal ? noted : risky;
  const findings = published.map(([name]) =>
    found(
      `${name}: a published development key: everyone who knows it can spend its funds; make one with \`switchyard keys new\``,
    ),
  );
  // The balances of any other rollup follow from its definition and the genesis.
  const faucetFindings = faucetEnabled && kind === 'evm' ? await faucetIn(genesisAccounts, fromHex(faucet)) : [];
  return { hasDevKey: published.length > 0, findings: [...findings, ...faucetFindings, ...coinFindings(manifest)] };
}

async function faucetIn(accounts: Manifest['genesisAccounts'], secret: Uint8Array): Promise<Finding[]> {
  let address: string;
  try {
    address = addressOfKey(secret);
  } catch {
    return [refused('--faucet-private-key: expected a key of secp256k1, got a number out of range')];
  }
  const account = accounts.find((each) => each.address === address);
  if (account !== undefined && account.balance > 0n) return [];
  const what = account === undefined ? 'is not among config.rollup.genesisAccounts' : 'has nothing in the genesis';
  return [risky(`the account of the faucet, ${address}, ${what}: the faucet has nothing to give`)];
}
