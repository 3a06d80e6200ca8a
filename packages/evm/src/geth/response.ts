import type { Address, Data, Hash } from '@switchyard/evm-machine/types';
import { hexData, hexQuantity, Input, type Read } from '@switchyard/service/input';

/* Readers for answers of the execution client, by type; any other answer is an `InvalidData` with its path. */

export const data: Read<Data> = hexData();
export const hash: Read<Hash> = hexData(32);
export const address: Read<Address> = hexData(20);
export const quantity: Read<bigint> = hexQuantity;

/** @param method The called one. */
export function readResponse<T>(value: unknown, method: string, read: Read<T>): T {
  return read(new Input(value, method));
}
