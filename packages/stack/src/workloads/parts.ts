import type { Ports } from '../kubernetes/objects.ts';
import { payingBridges } from '../manifest/bridges.ts';
import type { Manifest } from '../manifest/fields.ts';
import type { RollupKind } from '../manifest/kind.ts';
import { HOSTS, type Host, toHost } from '../names.ts';
import { usualPorts } from '../ports.ts';
import { getProgram } from '../programs.ts';
import {
  getRole,
  isWithdrawer,
  NODES,
  type NodeProcess,
  PROCESSES,
  type Process,
  type ROLES,
  WITHDRAWERS,
  type Withdrawer,
} from '../roles.ts';

/* The processes of a rollup as a manifest describes them: each is one entry here, wherever they run. */

/** Parts of a rollup that run as pods of their own; that of the node has its composer and conductor too. */
export type Workload = NodeProcess | Withdrawer | 'faucet' | 'explorer';

interface Deployed {
  /** It runs in the pod of the node, and shares its network. */
  readonly isBesideNode?: true;
  /** It gets a key, from a Secret of its own. */
  readonly hasKey?: true;
  /** Host names, and the listener that each leads to. */
  readonly hosts?: Readonly<Partial<Record<Host, string>>>;
  /** It calls the node over HTTP. */
  readonly callsNode?: true;
  /** Size of its volume, if it is not the one of the manifest. */
  readonly storage?: string;
}

/** Both keep a line for each payment. */
const LEDGER = '256Mi';

const DEPLOYED: Readonly<Record<(typeof ROLES)[number], Deployed>> = {
  evm: { isBesideNode: true, hosts: { executor: 'http', 'ws-executor': 'ws' } },
  rollup: { isBesideNode: true, hosts: { api: 'http' } },
  composer: { isBesideNode: true, hasKey: true },
  conductor: { isBesideNode: true },
  withdrawer: { hasKey: true, callsNode: true, storage: LEDGER },
  faucet: { hasKey: true, hosts: { faucet: 'http' }, callsNode: true, storage: LEDGER },
  explorer: { hosts: { blockscout: 'http' }, callsNode: true },
};

export const deployed = (process: Process): Deployed => DEPLOYED[getRole(process)];

/** The part with the key of a process. */
export const keyPart = (process: Process) => (deployed(process).hasKey ? (`${process}-key` as const) : undefined);

const NODE_OF: Readonly<Record<RollupKind, NodeProcess>> = { evm: 'evm', defined: 'rollup' };

/** The process that is the node of a rollup. */
export const nodeIn = ({ kind }: Pick<Manifest, 'kind'>): NodeProcess => NODE_OF[kind];

export const isNode = (process: string): process is NodeProcess => NODES.some((each) => each === process);

/** Processes that a rollup has. */
export function processesIn(manifest: Manifest): readonly Process[] {
  const payers = WITHDRAWERS.slice(0, manifest.withdrawerEnabled ? payingBridges(manifest).length : 0);
  return PROCESSES.filter((process) => {
    if (isNode(process)) return process === nodeIn(manifest);
    if (isWithdrawer(process)) return payers.includes(process);
    return process !== 'faucet' || manifest.faucetEnabled;
  });
}

export function workloadsIn(manifest: Manifest): readonly Workload[] {
  return processesIn(manifest).filter((process): process is Workload => isWorkload(process));
}

const isWorkload = (process: Process): process is Workload => isNode(process) || !deployed(process).isBesideNode;

/** The processes of a workload. Those of one pod share a network, so that their connections are on loopback. */
export function containersIn(workload: Workload): readonly Process[] {
  const beside = PROCESSES.filter((process) => deployed(process).isBesideNode && !isNode(process));
  return isNode(workload) ? [workload, ...beside] : [workload];
}

/** Listeners between the node, its composer, its conductor and the local layer. */
export const INSIDE = ['execution', 'collector', 'rpc', 'grpc'];

/** Address of a process for others, in its pod or container. */
export const getPorts = (process: Process): Ports =>
  usualPorts(
    getProgram(process),
    ...Object.keys(getProgram(process).listeners).filter((each) => !INSIDE.includes(each)),
  );

/** A host name of a rollup, and the listener that it leads to. */
export interface HostRoute {
  readonly host: Host;
  readonly name: string;
  readonly process: Workload;
  readonly listener: string;
}

/** Every host name of a rollup. */
export function routesIn(manifest: Manifest): readonly HostRoute[] {
  const workloads = workloadsIn(manifest);
  return HOSTS.flatMap((host) =>
    workloads.flatMap((process): HostRoute[] => {
      const listener = deployed(process).hosts?.[host];
      const name = toHost(host, manifest.name, manifest.ingressHostname);
      return listener === undefined ? [] : [{ host, name, process, listener }];
    }),
  );
}
