import type { NodeStatus } from './api.ts';

type Links = Pick<NodeStatus, 'explorer' | 'rollupId'> | undefined;

/** A message or a transfer in the explorer, where one is known. */
export const transactionUrl = (status: Links, hash: string | undefined): string | undefined =>
  hash === undefined ? undefined : linkTo(status, `transactions/${hash}`);

export const accountUrl = (status: Links, address: string): string | undefined => linkTo(status, `accounts/${address}`);

function linkTo(status: Links, place: string): string | undefined {
  if (status?.explorer === undefined) return undefined;
  return `${status.explorer}/#/rollups/${status.rollupId}/${place}`;
}
