/** Every port of a local network, before the offset of an instance is added. All are bound on 127.0.0.1. */
export const PORTS = {
  sequencerGrpc: 8080,
  sequencerRpc: 26657,
  sequencerMetrics: 9000,
  composerGrpc: 50052,
  composerApi: 50053,
  composerMetrics: 9001,
  conductorApi: 50054,
  conductorMetrics: 9002,
  rollupHttp: 3030,
  rollupExecution: 50051,
  rollupMetrics: 9003,
  evmHttp: 8545,
  evmWs: 8546,
  evmExecution: 50055,
  evmMetrics: 9004,
  /** Of the conductor that feeds the EVM rollup where the messenger has the first one. */
  evmConductorApi: 50056,
  evmConductorMetrics: 9005,
  faucet: 3031,
  faucetMetrics: 9006,
  sequencerFaucet: 3032,
  sequencerFaucetMetrics: 9007,
  startPage: 3000,
  explorer: 3033,
  explorerMetrics: 9008,
  messengerFaucet: 3034,
  messengerFaucetMetrics: 9009,
  daApi: 26651,
  daGrpc: 26652,
  daMetrics: 26653,
  relayerApi: 2450,
  relayerMetrics: 9010,
  celestiaAppRpc: 27650,
  celestiaAppP2p: 27651,
  celestiaAppGrpc: 27652,
  celestiaCoreGrpc: 27653,
  celestiaBridgeRpc: 27654,
  celestiaBridgeP2p: 27655,
  celestiaLightRpc: 27656,
} as const;

export type PortName = keyof typeof PORTS;

/** The largest offset that keeps every port below 65,536. */
export const MAX_OFFSET = 65_535 - Math.max(...Object.values(PORTS));

export function address(port: PortName, offset: number): string {
  return `127.0.0.1:${PORTS[port] + offset}`;
}

export function url(port: PortName, offset: number): string {
  return `http://${address(port, offset)}`;
}
