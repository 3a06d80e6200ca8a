/*
 * Modules that only code for sockets, files, threads and metrics uses, which does not run in a page. A name that they lack is undefined,
 * so that a use of it fails at once.
 */

/** Connections, pools, and metrics and services for other tools: made with the parts of a network and never used. */
class Idle {
  readonly contentType = 'text/plain';
  abort(): void {}
  inc(): void {}
  set(): void {}
  remove(): void {}
  observe(): void {}
  setDefaultLabels(): void {}
}

export {
  Idle as Agent,
  Idle as Counter,
  Idle as Gauge,
  Idle as Histogram,
  Idle as Http2SessionManager,
  Idle as Registry,
};

export const constants = { errno: {} };
export const hostname = (): string => 'page';
export const homedir = (): string => '/';
export const tmpdir = (): string => '/tmp';
export const availableParallelism = (): number => 1;
export const promisify = (): undefined => undefined;
export const createGrpcTransport = (): { readonly stream?: undefined } => ({});
export const getRequestListener = (): undefined => undefined;
export const reflectionRoutes = (): undefined => undefined;
export const adminRoutes = (): undefined => undefined;
export const createConnectRouter = (): object => ({});

const program = { fields: {}, listeners: {}, needs: [] };

export {
  program as da,
  program as evm,
  program as explorer,
  program as faucet,
  program as relayer,
  program as withdrawer,
};
