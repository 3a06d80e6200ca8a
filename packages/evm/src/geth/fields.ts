import { type ConfigOf, field, httpUrl, optional, path } from '@switchyard/service/settings';

/** How a stock execution client is reached. Its unix socket is enough, and is on no network. */
export const stockFields = {
  stockIpcPath: field('SVC_EVM_STOCK_IPC_PATH', optional(path), {
    help: "with the stock back end: geth's unix socket (`--ipcpath`)",
  }),
  stockRpcUrl: field('SVC_EVM_STOCK_RPC_URL', optional(httpUrl), {
    help: 'instead of the socket: HTTP endpoint that serves eth, debug, web3 and testing; no other process may reach it',
  }),
  stockEngineUrl: field('SVC_EVM_STOCK_ENGINE_URL', optional(httpUrl), {
    help: 'stock geth: endpoint of the Engine API (`--authrpc.port`)',
  }),
  stockJwtFile: field('SVC_EVM_STOCK_JWT_FILE', optional(path), {
    help: 'stock geth: file with the token secret in hex (`--authrpc.jwtsecret`)',
  }),
};

export type GethConfig = ConfigOf<typeof stockFields>;
