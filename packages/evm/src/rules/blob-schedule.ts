/** EIP-4844 and EIP-7892: how many blobs a block aims at and holds. */
export interface BlobSchedule {
  readonly target: number;
  readonly max: number;
  readonly baseFeeUpdateFraction: number;
}

/** EIP-4844. */
export const CANCUN_BLOBS: BlobSchedule = { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 };
/** EIP-7691; Osaka has it too. */
export const PRAGUE_BLOBS: BlobSchedule = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };
