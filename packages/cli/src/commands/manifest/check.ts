import { largeIdWarning, type Manifest, publicChain } from '@switchyard/stack';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { bridgeFindings, coinFindings } from '../../deployments/preflight/bridge.ts';
import type { Finding as Preflight } from '../../deployments/preflight/finding.ts';
import { Failure } from '../../failure.ts';
import { count, plain } from '../../print.ts';
import { manifestPath, openManifest, withManifest } from './file.ts';

interface Finding {
  readonly severity: 'error' | 'warning';
  readonly key: string;
  readonly problem: string;
}

/** Facts that a sequencer reported, and what was derived from them. */
interface Reported {
  readonly chainId: string;
  readonly height: bigint;
  readonly feeAssets: readonly string[];
  /** Why the first block of the rollup cannot be read; undefined where it can, or is not there yet. */
  readonly unreadable: string | undefined;
  /** Findings that an installation has too. */
  readonly findings: readonly Preflight[];
}

/** `switchyard rollup config check` */
export function checkCommand(cli: Cli, connect: Connections) {
  return withManifest(
    leaf(
      'check',
      'check a manifest, and that its sequencer answers and has the chain and the block; status 1 on an error',
      '--config cosmic-rollup-conf.yaml',
      '--config cosmic-rollup-conf.yaml --offline',
    ),
  )
    .option('--offline', 'do not ask the sequencer')
    .action(async (options) => {
      const { path, manifest } = openManifest(manifestPath(options, cli), cli);
      const reported = options.offline ? undefined : await ask(manifest, cli, connect);
      const findings = [...alone(manifest), ...(reported === undefined ? [] : against(manifest, reported))];
      const errors = findings.filter(({ severity }) => severity === 'error').length;
      cli.print(
        { file: path, ok: errors === 0, findings, ...(reported === undefined ? {} : { height: reported.height }) },
        findings.length > 0
          ? findings.map(({ severity, key, problem }) => `${severity}: ${key}: ${plain(problem)}`)
          : good(manifest, reported),
      );
      if (errors > 0) throw new Failure(`${path}: ${count(errors, 'error')}`);
    });
}

function good({ name, sequencerHeight, sequencerRpc }: Manifest, reported: Reported | undefined): string[] {
  if (reported === undefined) return [`rollup ${name}: manifest OK; the sequencer was not asked`];
  const { chainId, height } = reported;
  return [
    `rollup ${name}: manifest OK; ${chainId} at ${sequencerRpc} is at block ${height} and has block ${sequencerHeight}`,
  ];
}

async function ask(manifest: Manifest, cli: Cli, connect: Connections): Promise<Reported> {
  const { sequencerRpc, sequencerHeight } = manifest;
  cli.nextStep = 'check config.sequencer.rpc, or leave the sequencer out with --offline';
  const sequencer = await connect.sequencer(sequencerRpc);
  const [chainId, height, feeAssets] = await Promise.all([
    sequencer.chainId(),
    sequencer.height(),
    sequencer.allowedFeeAssets(),
  ]);
  const unreadable = sequencerHeight > height ? undefined : await reasonOf(() => sequencer.block(sequencerHeight));
  const { networkIdFindings } = await import('../../deployments/preflight/network-id.ts');
  const findings = await Promise.all([networkIdFindings(sequencer, manifest), bridgeFindings(sequencer, manifest)]);
  return { chainId, height, feeAssets, unreadable, findings: findings.flat() };
}

/** A node that refuses to show a block has pruned it, or began later. */
async function reasonOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Error && error.name === 'JsonRpcError') return error.message;
    throw error;
  }
}

function alone(manifest: Manifest): Finding[] {
  const { networkId, ingressHostname } = manifest;
  const findings: Finding[] = coinFindings(manifest).map(asFinding);
  const warning = (key: string, problem: string) => findings.push({ severity: 'warning', key, problem });
  const network = publicChain(networkId);
  const isPublic = `${networkId} is the chain id of ${network}; transactions signed for one are valid on the other`;
  if (network !== undefined) warning('config.rollup.networkId', isPublic);
  const large = largeIdWarning(networkId);
  if (large !== undefined) warning('config.rollup.networkId', large);
  if (ingressHostname === 'localdev.me')
    warning('ingress.hostname', 'names below localdev.me lead nowhere since 2025; localhost needs no DNS');
  return findings;
}

/** Findings about settings that do not fit the sequencer. */
function against(manifest: Manifest, reported: Reported): Finding[] {
  const { chainId, height, feeAssets, unreadable } = reported;
  const findings: Finding[] = [];
  const error = (key: string, problem: string) => findings.push({ severity: 'error', key, problem });
  const { sequencerChainId, sequencerHeight, feeAsset } = manifest;
  if (sequencerChainId !== undefined && sequencerChainId !== chainId)
    error('config.sequencer.chainId', `expected ${chainId}, which the sequencer reports, got ${sequencerChainId}`);
  if (sequencerHeight > height)
    error(
      'config.sequencer.initialBlockHeight',
      `expected at most ${height}, the newest block, got ${sequencerHeight}`,
    );
  if (unreadable !== undefined)
    error('config.sequencer.initialBlockHeight', `the node does not have block ${sequencerHeight}: ${unreadable}`);
  if (feeAssets.length > 0 && !feeAssets.includes(feeAsset))
    error('config.composer.feeAsset', `expected one of ${feeAssets.slice(0, 10).join(', ')}, got ${feeAsset}`);
  return [...findings, ...reported.findings.map(asFinding)];
}

function asFinding({ severity, text }: Preflight): Finding {
  const [key = '', ...problem] = text.split(': ');
  return { severity: severity === 'note' ? 'warning' : 'error', key, problem: problem.join(': ') };
}
