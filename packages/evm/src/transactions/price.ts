interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** EIP-1559: wei for each unit of gas in a block, before London without a base fee. If both fees are equal, that fee. */
export function effectivePrice({ maxFeePerGas, maxPriorityFeePerGas }: Fees, baseFee: bigint | undefined): bigint {
  const wanted = (baseFee ?? 0n) + maxPriorityFeePerGas;
  return baseFee === undefined || wanted > maxFeePerGas ? maxFeePerGas : wanted;
}
