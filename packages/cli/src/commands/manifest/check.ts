import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';
import { largeIdWarning, type Manifest, publicChain } from '@switchyard/stack';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { coinFindings } from '../../deployments/preflight/bridge.ts';
import type { Finding as Preflight } from '../../deployments/preflight/finding.ts';
import { count } from '../../print.ts';
import { manifestPath, openManifest, withManifest } from './file.ts';

interface Finding {
  readonly severity: 'error' | 'warning';
  readonly key: string;
  readonly problem: string;
}

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
      const findings = [...alone(manifest), ...(reported?.findings ?? [])];
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

type Reported = Awaited<ReturnType<typeof ask>>;

function good({ name, sequencerHeight, sequencerRpc }: Manifest, reported: Reported | undefined): string[] {
  if (reported === undefined) return [`rollup ${name}: manifest OK; the sequencer was not asked`];
  const { chainId, height } = reported;
  return [
    `rollup ${name}: manifest OK; ${chainId} at ${sequencerRpc} is at block ${height} and has block ${sequencerHeight}`,
  ];
}

/** Facts that a sequencer reported, and the contradicting ones: an installation has the same checks. */
async function ask(manifest: Manifest, cli: Cli, connect: Connections) {
  const { sequencerRpc, sequencerHeight } = manifest;
  cli.nextStep = 'check config.sequencer.rpc, or leave the sequencer out with --offline';
  const sequencer = await connect.sequencer(sequencerRpc);
  const [chainId, height] = await Promise.all([sequencer.chainId(), sequencer.height()]);
  const unreadable = sequencerHeight > height ? undefined : await findReason(() => sequencer.block(sequencerHeight));
  const { chainFindings } = await import('../../deployments/preflight/sequencer.ts');
  const problem = `the node does not have block ${sequencerHeight}: ${unreadable}`;
  const findings: Finding[] = (await chainFindings(sequencer, manifest)).map(asFinding);
  if (unreadable !== undefined)
    findings.push({ severity: 'error', key: 'config.sequencer.initialBlockHeight', problem });
  return { chainId, height, findings };
}

/** A node that refuses to show a block has pruned it, or began later. */
async function findReason(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Error && error.name === 'JsonRpcError') return error.message;
    throw error;
  }
}

function alone(manifest: Manifest): Finding[] {
  const { kind, networkId, ingressHostname } = manifest;
  const findings: Finding[] = coinFindings(manifest).map(asFinding);
  const warning = (key: string, problem: string) => findings.push({ severity: 'warning', key, problem });
  const network = kind === 'evm' ? publicChain(networkId) : undefined;
  const isPublic = `${networkId} is the chain id of ${network}; transactions signed for one are valid on the other`;
  if (network !== undefined) warning('config.rollup.networkId', isPublic);
  const large = kind === 'evm' ? largeIdWarning(networkId) : undefined;
  if (large !== undefined) warning('config.rollup.networkId', large);
  if (ingressHostname === 'localdev.me')
    warning('ingress.hostname', 'names below localdev.me lead nowhere since 2025; localhost needs no DNS');
  return findings;
}

function asFinding({ severity, text }: Preflight): Finding {
  const [key = '', ...problem] = text.split(': ');
  return { severity: severity === 'note' ? 'warning' : 'error', key, problem: problem.join(': ') };
}
