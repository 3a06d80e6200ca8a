/** Local networks as a library: the functions of `switchyard dev`, for end-to-end tests and scripts. */

export { alice, bob, carol, composerAccount, type DevAccount, devAccounts } from '@switchyard/network/accounts';
export { Supervisor } from '@switchyard/network/supervisor';
export type { ServiceState, ServiceStatus, SupervisorEvent } from '@switchyard/network/supervisor/events';
export type { PortUse, Readiness, ServiceSpec } from '@switchyard/network/supervisor/spec';
export { type Change, setBlockInterval, setRollupName } from './config/setconfig.ts';
export { type ControlClient, connectControl } from './control/client.ts';
export { type InitOptions, type InitReport, initInstance } from './init/init.ts';
export { homeDirectory, type InstancePaths, instancePaths } from './instance/home.ts';
export { CELESTIA_PORTS, MAX_OFFSET, PORTS } from './instance/ports.ts';
export { type Stopped, stopInstance } from './instance/stop.ts';
export { ReservedPorts } from './run/reserved-ports.ts';
export type { RunningInstance } from './run/running.ts';
export { type StartOptions, startInstance } from './run/start.ts';
export { resetState } from './state/remove.ts';
export type { Overview } from './status/network.ts';
export { readOverview } from './status/overview.ts';
export { getStatus, type InstanceStatus } from './status/status.ts';
