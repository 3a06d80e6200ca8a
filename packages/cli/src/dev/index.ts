/** Local networks as a library: what `switchyard dev` does, for end-to-end tests and scripts. */
export { alice, bob, carol, composerAccount, type DevAccount, devAccounts } from './accounts.ts';
export { type ControlClient, connectControl } from './control/client.ts';
export { homeDirectory, type InstancePaths, instancePaths } from './home.ts';
export { type InitOptions, type InitReport, initInstance } from './init.ts';
export { type Overview, overviewOf } from './overview.ts';
export { MAX_OFFSET, PORTS, type PortName } from './ports.ts';
export { resetState } from './remove.ts';
export { ReservedPorts } from './reserved-ports.ts';
export { type Change, setBlockInterval, setRollupName } from './setconfig.ts';
export { type RunningInstance, type StartOptions, startInstance } from './start.ts';
export { type InstanceStatus, statusOf } from './status.ts';
export { type Stopped, stopInstance } from './stop.ts';
export type { ServiceState, ServiceStatus, SupervisorEvent } from './supervisor/events.ts';
export type { PortUse, Readiness, ServiceSpec } from './supervisor/spec.ts';
export { createSupervisor, type Supervisor } from './supervisor/supervisor.ts';
